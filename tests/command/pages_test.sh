# What is made of the table of options: README's tables are the same, the man page renders, the shells load their completions.
. tests/shell/check.bash
pages=$KGEN_BUILD/pages
man=$pages/kgen.1

# --- the table itself, one row an option ---
echo '@markdown_options@' >table.in
"$KGEN_BUILD/kgen_pages" table.in table.md
names() { grep -oE '`--[a-z0-9-]+' | tr -d '`' | sort; }
options=$(names <table.md)
holds "there is a table" test "$(wc -l <<<"$options")" -ge 30
holds "no option stands twice" test "$options" = "$(uniq <<<"$options")"

# --- README and docs: each row once, as it stands in the table ---
cat "$source_dir"/README.md "$source_dir"/docs/*.md | grep -E '^\| `--?[a-z]' | sort >told
sort table.md >want
diff want told >differences
check $? "the tables of options in README.md and docs/ differ from runtime/command/option_table.c (>: told, <: to be told)
$(cat differences)"

# --- --help ---
exits 0 --help
for option in $options; do holds "--help has $option" grep -qE -- "^ .* $option( |$)" stdout; done
holds "--help fits 100 columns" test "$(wc -L <stdout)" -le 100

# --- what goes with which front door ---
touch k.cu s.yaml
expect 2 '^kgen: --grid goes with --lint FILE or --same A$' --grid 1 s.yaml
expect 2 '^kgen: --lint does not go with --jit$' --lint k.cu --jit
expect 2 '^kgen: --lint takes no SPEC: s.yaml$' --lint k.cu s.yaml
expect 2 '^kgen: --pads does not go with --lint$' --pads --lint k.cu --pads
expect 2 '^kgen: --sweep does not go with --explain$' --sweep pad=1 --explain s.yaml
expect 2 '^kgen: --kernel goes with' --kernel k --smem 1 s.yaml
holds "all of them at once" grep -q -- '--smem goes with' stderr
expect 2 'not a number from 0 to 2147483647' --lint k.cu --smem 2147483648
expect 2 'not a number' --seed ' 1'
expect 2 '^kgen: --budget 0: not a number from 1 to ' --tune s.yaml --budget 0
expect 2 '^kgen: --max-steps 0: not a number from 1 to ' --lint k.cu --max-steps 0
expect 2 '^kgen: --smem 3000000000: not a number' --lint k.cu --smem 3000000000
exits 0 --pads --seed 08 --version
exits 0 --pads -qv --device emulator -o unused --version

# --- the tool ---
echo '@nosuch@' >wrong.in
! "$KGEN_BUILD/kgen_pages" wrong.in wrong.out 2>stderr; check $? "a page with an unknown table is filled in"
holds "its name is told" grep -q '@nosuch@' stderr
holds "nothing is written" test ! -e wrong.out

# --- the man page ---
for option in $options; do
  holds "the man page has $option" grep -qF -- "\\fB${option//-/\\-}\\fR" "$man"
done
if command -v groff >/dev/null; then
  groff -man -Tascii -ww "$man" >page 2>warnings
  check $? "groff fails"
  holds "groff warns of nothing: $(cat warnings)" test ! -s warnings
  holds "the page has text" grep -q 'kgen -lint\|--lint' page
else
  echo "no groff here: the man page is not rendered with it"
fi
if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning "$man" >warnings
  check $? "mandoc warns: $(cat warnings)"
else
  echo "no mandoc here: the man page is not checked with it"
fi

# --- bash: words of a command line, the last one being completed ---
mkdir -p "in/a folder" && touch in/one.yaml in/two.cu
complete_bash() {
  (cd in && bash -c '
    . "$0"
    complete -p kgen >/dev/null || exit 1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _kgen kgen
    printf "%s\n" "${COMPREPLY[@]}"' "$pages/kgen.bash" kgen "$@" 2>&1)
}
offers() { # offers WANT WORD...: what is offered, sorted, in one line
  local want=$1 got; shift
  got=$(complete_bash "$@" | sort | paste -sd ' ')
  [ "$got" = "$want" ]
  check $? "bash offers '$got', not '$want' for: $*"
}
offers '--jit --json' --j
offers 'auto cuda emulator' --device ''
offers 'emulator' --device = e
offers 'auto cuda emulator' --device =
offers 'a folder' -o a
offers 'a folder one.yaml' ''
offers 'a folder one.yaml two.cu' --lint ''
offers '--markdown --max-conflicts --max-steps' --lint two.cu --m
offers '' --max
offers 'a folder one.yaml' --front ''
offers 'a folder one.yaml' --tune ''
offers 'a folder one.yaml two.cu' --compare old.json ''
offers 'a folder one.yaml two.cu' --same two.cu ''
offers 'a folder one.yaml two.cu' --wisdom --merge ''
offers 'a folder one.yaml two.cu' --exec -- ''
offers 'two.cu' --exec --save dir -- ./program --lint --device tw
offers 'lint' --schema ''
offers '' --lint two.cu --jit
offers '' --seed ''
offers '--pads' --pads --p
for option in $options; do
  holds "bash knows $option" grep -qE -- "[' ]$option " "$pages/kgen.bash"
done

# --- zsh: the function loads, and hands _arguments every option of its door ---
if command -v zsh >/dev/null; then
  arguments() {
    zsh -fc 'fpath=("$0" $fpath); autoload -Uz compinit && compinit -u -d "$1/dump"
      _arguments() { print -rl -- "$@" }
      words=(kgen "${@:2}" ""); CURRENT=$#words
      [[ $_comps[kgen] == _kgen ]] && autoload +X -Uz _kgen && _kgen' "$pages" "$tmp" "$@" 2>&1
  }
  arguments >offered
  for option in --output --jit --device --sweep --lint --pads --version; do
    holds "zsh offers $option" grep -qE -- "^\*$option=?\[" offered
  done
  holds "zsh: nothing of --lint without it" sh -c '! grep -q -- --kernel offered'
  arguments --lint k.cu >offered
  holds "zsh offers --kernel after --lint" grep -q -- '^\*--kernel=\[which one, also ns\\:\\:name' offered
  holds "zsh: nothing of specs there" sh -c '! grep -q -- "--jit\|yaml" offered'
else
  echo "no zsh here: its completion is not loaded"
fi

# --- installed ---
if cmake --install "$KGEN_BUILD" --prefix "$tmp/at" >install.log 2>&1; then
  for page in man/man1/kgen.1 bash-completion/completions/kgen zsh/site-functions/_kgen; do
    holds "$page is installed" test -s "at/share/$page"
  done
else
  check 1 "cmake --install: $(tail -3 install.log)"
fi
verdict pages
