# The English of README.md, CONTRIBUTING.md, SECURITY.md, CHANGELOG.md and docs/: sentences of at most 25 words, subject first, no
# coined words; and the test's own rules find a bad page.
. tests/shell/check.bash
PYTHON=${PYTHON:-python3}
"$PYTHON" "$source_dir/tests/docs/prose.py" >found
check $? "$(cat found)"
mkdir -p copy/tests/docs copy/docs && cp "$source_dir/tests/docs/prose.py" copy/tests/docs && touch copy/{CONTRIBUTING,SECURITY,CHANGELOG}.md
cat >copy/README.md <<'END'
# A title of what, and a folder

What a lane reads is told. A kernel may store four bytes a lane, and then load them again, and then it may store them once more, and
load them, and so on, until it ends.

`A folder in code` is fine, and so is | a table.
END
"$PYTHON" copy/tests/docs/prose.py >found
holds "an opening" grep -q 'begin with the subject: What a lane' found
holds "a coined word" grep -q "'told': write report" found
holds "a rate" grep -q "'bytes a lane': write per lane" found
holds "a long sentence" grep -q 'at most 25: A kernel may' found
holds "and nothing in code or titles" sh -c '! grep -q folder found'
verdict prose
