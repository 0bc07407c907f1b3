# kgen --schema: the JSON Schema of specs. Every shipped spec and every spec of --init is valid. Every bad spec is invalid if its
# error is a wrong shape, type or key.
. tests/shell/check.bash
export KGEN_TEMPLATES="$source_dir/templates"
"$KGEN" --schema >shipped.json
cp -r "$source_dir/tests/spec/bad/families" . && cp "$source_dir/templates/layout.h" families
"$KGEN" --schema --templates families >bad.json
for kernel in none $(cd "$source_dir/templates" && basename -s .yaml -- *.yaml); do
  "$KGEN" --init "$kernel" >"init_$kernel.yaml" || echo "no spec of $kernel"
done
expect 2 'did you mean transpose' --init transpos
expect 2 'takes no SPEC' --init transpose a.yaml

cat >check.py <<'E2'
import glob, json, os, re, sys, jsonschema, yaml

class Core(yaml.SafeLoader):
    """YAML 1.2's core schema, as editors read specs: yes and 0b1 are text."""
Core.yaml_implicit_resolvers = {}
for tag, regex, first in (("bool", r"true|false", "tf"), ("null", r"~|null|", ["~", "n", ""]),
                          ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+", "-+0123456789"),
                          ("float", r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*)", "-+.0123456789")):
    Core.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile("^(?:%s)$" % regex), list(first))

root = sys.argv[1]
def validator(name):
    schema = json.load(open(name))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)

shipped, bad = validator("shipped.json"), validator("bad.json")
checks = 0
for name in sorted(glob.glob(root + "/specs/*.yaml")) + sorted(glob.glob("init_*.yaml")):
    checks += 1
    for error in shipped.iter_errors(yaml.load(open(name), Core)):
        print("%s: %s: %s" % (name, list(error.absolute_path), error.message[:200]))

# Messages of readers for a wrong shape, type or key. Other messages are about values, names and dependencies (an `at` that is no
# list is valid for one dimension).
by_shape = re.compile(r"unknown (key|param|dtype|op|layout|kernel|arch|pattern) |(?<!^at )must be (a list|a map|text|true or "
    r"false|an integer expression)|version is|'[a-z]+' is missing|has no '(dtype|tile|access)'|has more than one of|needs one of|"
    r"goes with 'at'|beside '|belongs in each|(matrices|cache|from) is for|it has no vector|is for a family|has rank 5|dimensions, but must have 1 to 3")
seen = 0
for name in sorted(glob.glob(root + "/tests/spec/bad/*.yaml")):
    errors = open(name[:-4] + "txt").read()
    own = [e for e in re.findall(r"^\S*%s(?::\d+)*: error: (.*)$" % re.escape(os.path.basename(name)), errors, re.M)]
    try: spec = yaml.load(open(name), Core)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError): continue # no editor reads it further
    if not any(by_shape.search(e) for e in own): continue
    seen += 1
    if bad.is_valid(spec): print("%s is valid, but: %s" % (name, [e for e in own if by_shape.search(e)]))
# A hint names keys; the pages explain each of them.
def keys(schema):
    if isinstance(schema, dict):
        own = schema.get("properties")
        for key, value in own.items() if isinstance(own, dict) and "allOf" not in schema else []: yield key
        for value in schema.values(): yield from keys(value)
    elif isinstance(schema, list):
        for value in schema: yield from keys(value)
pages = "".join(open(f).read() for f in glob.glob(root + "/docs/**/*.md", recursive=True))
whole = json.load(open("shipped.json"))
named = set(whole["properties"]) | set(keys(whole["properties"]))
for key in sorted(named - {"times"}): # in kernel templates alone
    if not re.search(r"`%s`|\b%s:" % (key, key), pages): print("no page explains the key %s of specs" % key)
if len(named) < 30: print("only the keys %s" % sorted(named))
print("of %d specs, and %d bad ones" % (checks, seen))
E2
python3 check.py "$source_dir" >told 2>&1
check $? "$(tail -3 told)"
check "$(sed '$d' told | grep -c .)" "$(cat told)"
holds "all were looked at" grep -Eq '^of 1[0-9]{2} specs, and [5-9][0-9] bad ones$' told

# --- specs of --init generate unchanged, and each of their commented lines may be enabled ---
expect 0 'conflict-free' --dry-run init_*.yaml
for f in init_*.yaml; do sed -E 's/^#([a-z]+:)/\1/; s/^#(  [a-z_0-9]+:)/\1/; /^layout: auto|^name:/d' "$f" >"full_$f"; done
sed -i '/^layout:/d' full_*.yaml # a strict layout of at most 48 KiB is not for every family
expect 0 'conflict-free' --dry-run full_*.yaml

verdict schema
