# The pages generated from the table of commands: the reference page is up to date, the man pages render, the shells load their
# completions.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
pages=$KGEN_BUILD/pages
man=$pages/kgen.1
commands='gen explain run sweep front tune wisdom init schema lint exec same compare pads doctor help version'

# --- the table itself, one row an option ---
names() { grep -oE '`--[a-z0-9-]+' | tr -d '`' | sort; }
"$KGEN_BUILD/kgen_pages" "$source_dir/scripts/pages/cli.md.in" cli.md
options=$(grep -E '^\| `-' cli.md | names | uniq)
old=$(sed -n '/^| option | the same as/,/^$/p' cli.md | names)
new=$(comm -23 <(echo "$options") <(sed -n '/^| option | the same as/,/^$/p' cli.md | grep -oE '^\| `--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u))
holds "there is a table" test "$(wc -l <<<"$options")" -ge 60
holds "old options are named beside their verbs" test "$(wc -l <<<"$old")" -ge 20

# --- the reference page ---
diff "$source_dir/docs/reference/cli.md" cli.md >differences
check $? "docs/reference/cli.md is not what the table says: build/kgen_pages scripts/pages/cli.md.in docs/reference/cli.md
$(head -20 differences)"
for verb in $commands; do
  holds "the page has kgen $verb" grep -q "^## kgen $verb$" cli.md
  exits 0 help "$verb"
  cp stdout help.$verb
  holds "help of $verb" grep -q "^usage: kgen $verb " help.$verb
  holds "help of $verb fits 100 columns" test "$(wc -L <help.$verb)" -le 100
  exits 0 "$verb" --help
  holds "$verb --help is the same" cmp stdout help.$verb
  holds "the man page of $verb" grep -q "^\.TH KGEN..${verb^^} 1" "$pages/kgen-$verb.1"
done
holds "no other verb" test "$(grep -c '^## kgen ' cli.md)" = "$(wc -w <<<"$commands")"
for option in $new; do
  holds "some help has $option" grep -qE -- "^ .* $option( |$)" help.*
  holds "a man page has $option" grep -qF -- "\\fB${option//-/\\-}\\fR" "$pages"/kgen*.1
done
exits 0 --lint k.cu --help
holds "the help of an option that selects a command" cmp stdout help.lint

# --- what goes with which command, without a verb ---
touch k.cu s.yaml
expect 2 '^kgen: --grid belongs to kgen lint, kgen same$' --grid 1 s.yaml
expect 2 '^kgen: --lint does not go with --jit$' --lint k.cu --jit
expect 2 '^kgen: --lint takes no SPEC: s.yaml$' --lint k.cu s.yaml
expect 2 '^kgen: --pads does not go with --lint$' --pads --lint k.cu --pads
expect 2 '^kgen: --sweep does not go with --explain$' --sweep pad=1 --explain s.yaml
expect 2 '^kgen: --kernel belongs to' --kernel k --smem 1 s.yaml
holds "all of them at once" grep -q -- '--smem belongs to' stderr
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

# --- the man pages ---
for page in "$pages"/kgen*.1; do
  if command -v groff >/dev/null; then
    groff -man -Tascii -ww "$page" >page 2>warnings
    check $? "groff fails: $page"
    holds "groff warns of nothing in $page: $(cat warnings)" test ! -s warnings
    holds "$page says what 6 means" grep -q 'CUDA fails at run time' page
  fi
  if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$page" >warnings
    check $? "mandoc warns: $(cat warnings)"
  fi
done
command -v groff >/dev/null || echo "no groff here: the man pages are not rendered with it"
command -v mandoc >/dev/null || echo "no mandoc here: the man pages are not checked with it"
for option in $old; do [ "$option" = --version ] || holds "kgen.1 has $option" grep -qF -- "\\fB${option//-/\\-}\\fR" "$man"; done

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
offers 'lint' lin
offers 'run' ru
offers 'pads' pad
offers 'auto cuda emulator' --device ''
offers 'emulator' --device = e
offers 'auto cuda emulator' --device =
offers 'a folder' -o a
offers "$(printf '%s\n' 'a folder' one.yaml $commands | sort | paste -sd ' ')" ''
offers 'a folder one.yaml' run ''
offers 'a folder one.yaml two.cu' lint ''
offers '--grid' lint two.cu --gr
offers '' lint two.cu --jit
offers '' gen --run
offers '--seed --set' sweep one.yaml --se
offers 'sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f' run --arch sm_12
offers 'bf16:' lint two.cu --arg bf
offers 'b128: b16: b32: b64: b8: bf16: buf:' lint two.cu --arg b
offers 'gemm gemm_f32 gemm_tma gemm_wgmma' init gem
offers 'gemm gemm_f32 gemm_tma gemm_wgmma' --init gem
offers 'merge' wisdom m
offers 'lint spec' schema ''
offers 'sweep' help sw
offers 'a folder one.yaml two.cu' exec ''
offers '' pads x
offers 'a folder one.yaml two.cu' --lint ''
offers '--markdown --max-conflicts --max-steps' --lint two.cu --m
offers '' --max
offers 'a folder one.yaml' --front ''
offers 'a folder one.yaml' --tune ''
offers 'a folder one.yaml two.cu' --compare old.json ''
offers 'a folder one.yaml two.cu' --same two.cu ''
offers 'list merge prune t4' --wisdom --merge ''
offers 'a folder one.yaml two.cu' --exec -- ''
offers 'two.cu' --exec --save dir -- ./program --lint --device tw
offers 'lint spec' --schema ''
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
  holds "zsh offers --kernel after --lint" grep -q -- '^\*--kernel=\[the kernel, also as ns\\:\\:name' offered
  holds "zsh: nothing of specs there" sh -c '! grep -q -- "--jit\|yaml" offered'
  arguments lint k.cu >offered
  holds "zsh offers --kernel after the verb lint" grep -q -- '^\*--kernel=\[the kernel, also as ns\\:\\:name' offered
  holds "zsh: no old options there" sh -c '! grep -q -- "--lint" offered'
  arguments init >offered
  holds "zsh offers kernel templates" grep -q 'gemm_wgmma' offered
else
  echo "no zsh here: its completion is not loaded"
fi

# --- installed ---
if cmake --install "$KGEN_BUILD" --prefix "$tmp/at" >install.log 2>&1; then
  for page in man/man1/kgen.1 man/man1/kgen-lint.1 man/man1/kgen-version.1 bash-completion/completions/kgen zsh/site-functions/_kgen; do
    holds "$page is installed" test -s "at/share/$page"
  done
else
  check 1 "cmake --install: $(tail -3 install.log)"
fi
verdict pages
