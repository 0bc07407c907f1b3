"""Asserts what a reader sees and does on the pages that browser_test.sh has made in this folder; one browser for all.

browser_check.py CHROMIUM SOURCE_FOLDER
"""

import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import browser as chromium  # noqa: E402
from every import check_every  # noqa: E402
from layouts import check_layouts  # noqa: E402

count = failures = 0


def check(what, ok):
    global count, failures
    count += 1
    if not ok:
        failures += 1
        print(f"failed: {what}")


def equal(what, got, want):
    check(f"{what}: got {got!r}, want {want!r}", got == want)


def data_of(page):
    text = Path(page).read_text()
    return json.loads(re.search(r'id="data">\n(.*?)</script>', text, re.S)[1])


def with_data(page, to, data):
    """The page with other data in it."""
    text = Path(page).read_text()
    start = text.index('id="data">\n') + len('id="data">\n')
    Path(to).write_text(text[:start] + json.dumps(data).replace("<", "\\u003c") + text[text.index("</script>", start):])


def tiles_of(page):
    return [tile for spec in data_of(page)["report"]["specs"] for tile in spec["page"]["tiles"]]


# --- the formula: what a browser computes is what templates/layout.h computes in C ---


def c_offsets(source, shapes):
    """Every offset of every (tile, layout), by a C program around templates/layout.h."""
    rows = []
    for tile, layout in shapes:
        sources = ["row", "index", "c0", "c1", "c2", "c3"]
        terms = ", ".join("{%d, %d, %d, %d}" % (t["shift"], t["mask"], sources.index(t["source"]), 1 + int(t["target"][1]))
                          for t in layout["swizzle"]) or "{0, 0, 0, 0}"
        rows.append("{%d, %d, {%s}, {%s}, %d, {%s}}" % (
            len(tile["extent"]), layout["period"] or 0, ", ".join(map(str, tile["extent"])),
            ", ".join(map(str, layout["strides"])), len(layout["swizzle"]), terms))
    Path("offsets.c").write_text("""#include "layout.h"
#include <stdio.h>
static const KgenLayout layout[] = {%s};
int main(void) {
  for (unsigned n = 0; n < sizeof layout / sizeof *layout; n++) {
    const KgenLayout *l = &layout[n];
    int e[4] = {1, 1, 1, 1};
    for (int d = 0; d < l->rank; d++) e[d] = l->extent[d];
    for (int a = 0; a < e[0]; a++)
      for (int b = 0; b < e[1]; b++)
        for (int c = 0; c < e[2]; c++)
          for (int d = 0; d < e[3]; d++)
            printf("%%d ", l->rank == 1 ? kgen_offset1(l, a) : l->rank == 2 ? kgen_offset2(l, a, b)
                         : l->rank == 3 ? kgen_offset3(l, a, b, c) : kgen_offset4(l, a, b, c, d));
    puts("");
  }
}
""" % ", ".join(rows))
    subprocess.run(["cc", "-std=c11", f"-I{source}/templates", "-o", "offsets", "offsets.c"], check=True)
    lines = subprocess.run(["./offsets"], check=True, capture_output=True, text=True).stdout.splitlines()
    return [[int(word) for word in line.split()] for line in lines]


def check_formula(b, source):
    shapes = []
    for tile in tiles_of("many.html"):
        shapes += [(tile, layout) for layout in (tile["plain"], tile["chosen"])
                   if "offsets" not in layout and "matrix" not in layout]
        points = [p for p in tile["front"]["points"] if p.get("strides")]
        shapes += [(tile, p) for p in points[:: max(1, len(points) // 6)]]
    kinds = {(len(t["extent"]), bool(l["period"]), bool(l["swizzle"])) for t, l in shapes}
    check(f"ranks, periods and XORs are among {kinds}", {k[0] for k in kinds} == {1, 2, 3, 4} and (1, True, True) in kinds)
    want = c_offsets(source, shapes)
    slim = [[{"extent": t["extent"]}, {k: l[k] for k in ("strides", "period", "swizzle")}] for t, l in shapes]
    got = b.js(f"JSON.stringify({json.dumps(slim)}.map(([t, l]) => [...offsetsOf(t, l)]))")
    for (tile, layout), mine, c in zip(shapes, json.loads(got), want):
        check(f"offsets of {tile['extent']} {layout['strides']} {layout['swizzle']}", mine == c)


def check_spelling(b):
    """A layout as C is the one that is drawn, whichever way its rows are shifted."""
    for shift in (-1, 0, 2):
        same = b.js(f"""(() => {{
          const tile = {{extent: [32, 32], dims: ['row', 'col']}};
          const layout = {{strides: [33, 1], period: null, swizzle: [{{shift: {shift}, mask: 6}}]}};
          const spelled = new Function('row', 'col', `return ${{spellLayout(tile, layout)}}`);
          return [...offsetsOf(tile, layout)].every((at, i) => at === spelled(i >> 5, i & 31));
        }})()""")
        check(f"a shift by {shift} as C", same)


def check_costs(b):
    """Wavefronts, ideals and bytes by the page's own counting are those of the report."""
    for spec in data_of("many.html")["report"]["specs"]:
        for i, report in enumerate(spec.get("tiles") or [spec]):
            place = f"kgen.data.report.specs.find(s => s.name === '{spec['name']}').page.tiles[{i}]"
            equal(f"{spec['name']}: bytes", b.js(f"(tile => bytesOf(tile, tile.chosen))({place})"), report["layout"]["bytes"])
            plain, chosen = b.js(f"""(() => {{
              const tile = {place};
              const idealOf = (offsets, access) => access.instructions.reduce((sum, _, k) => {{
                const now = instructionOf(access, k);
                return now.groups.reduce((n, mask) => n + loadOf(tile, offsets, access, now, mask).ideal, sum);
              }}, 0);
              const costs = offsets => tile.lanes.map(a => [totalOf(tile, offsets, a), idealOf(offsets, a)]);
              return [tile.plain, tile.chosen].map(layout => costs(offsetsOf(tile, layout)));
            }})()""")
            for a, access in enumerate(report["accesses"]):
                if not chosen[a][0]:
                    continue  # boxes have no lanes
                name = f"{spec['name']}: {access['name']}"
                equal(f"{name}: chosen", chosen[a], [access["wavefronts"], access["ideal"]])
                if access["unswizzled"] is not None:
                    equal(f"{name}: plain", plain[a], [access["unswizzled"], access["ideal"]])


# --- what a reader does ---


def status(b, which=0):
    return b.js(f"document.querySelectorAll('.tile .status')[{which}].textContent")


def marks(b, which, meets=False):
    kind = ".mark.meets" if meets else ".mark"
    return b.js(f"[...document.querySelectorAll('.tile')[{which}].querySelectorAll('{kind}')].map(m => Number(m.dataset.element))")


def press(b, name, times=1):
    for _ in range(times):
        b.key(name)


def check_hover(b):
    x, y = b.js("""(() => { const v = kgen.page.section().plain; v.window.scrollIntoView({block: 'center'});
      const box = v.svg.getBoundingClientRect(), p = v.place(3 * 32 + 5); return [box.left + p.x + v.cell / 2, box.top + p.y + v.cell / 2]; })()""")
    b.hover_at(x, y)
    check(f"hover: {status(b)}", status(b).startswith("c0 3, c1 5: offset 101, byte 404, bank 5, line 3; accessed by "))
    check(f"hover in the twin: {status(b, 1)}", status(b, 1).startswith("c0 3, c1 5: offset 104, byte 416, bank 8, line 3; "))
    check(f"the lanes: {status(b)}", "fill 3 lane 5" in status(b) and "drain 5 lane 3" in status(b))


def check_keys(b):
    b.js("document.querySelector('.tile .window').focus()")
    press(b, "ArrowDown", 2)
    press(b, "ArrowLeft")
    check(f"arrow keys: {status(b)}", status(b).startswith("c0 5, c1 4: offset 164,"))
    press(b, "End")
    check(f"End: {status(b)}", status(b).startswith("c0 5, c1 31: "))


def check_zoom(b):
    """Both tiles keep one scale, whichever way it is changed."""
    scales = "(v => [v.plain.cell, v.chosen.cell])(kgen.page.section())"
    before = b.js(scales)
    for step in ("larger", "larger", "smaller"):
        b.click(f"button[aria-label='{step} cells']")
        scale = b.js(scales)
        check(f"{step}: {scale}", scale[0] == scale[1] != before[0])
    b.click("button[aria-label='smaller cells']")


def check_scrolling(b):
    """Rows that come into view are drawn, and their numbers."""
    drawn = "(v => [v.drawn.first, v.drawn.last, v.rows])(kgen.page.section().plain)"
    first, last, rows = b.js(drawn)
    check(f"a part of the rows is drawn: {first} to {last} of {rows}", first == 0 and last < rows)
    b.js("(w => new Promise(r => { w.onscrollend = r; w.scrollTop = w.scrollHeight; setTimeout(r, 500); }))(kgen.page.section().plain.window)")
    first, last, rows = b.js(drawn)
    check(f"the last rows: {first} to {last} of {rows}", first > 0 and last == rows)


def check_slider(b):
    equal("the costliest instruction first", marks(b, 0), [32 * row for row in range(32)])
    equal("all its lanes wait", len(marks(b, 0, True)), 32)
    equal("none under the pad", len(marks(b, 1, True)), 0)
    b.js("document.querySelector('input[type=range]').focus()")
    press(b, "ArrowRight", 3)
    equal("the slider moves the lanes in the tile", marks(b, 0), [32 * row + 3 for row in range(32)])
    equal("and in lanes against banks", b.js("document.querySelectorAll('.lanes')[0].querySelectorAll('.hit.over[data-bank=\"3\"]').length"), 32)
    equal("what is too much is hatched", b.js("document.querySelectorAll('.lanes')[0].querySelectorAll('.load-excess').length"), 1)
    check("the ideal line", b.js("document.querySelectorAll('.lanes .ideal-line').length") == 2)
    b.click(".choice[aria-label=access] button", 0)
    equal("another access", marks(b, 0), list(range(32)))
    equal("with no excess", b.js("document.querySelectorAll('.load-excess').length"), 0)


def check_refused(b):
    head = "document.querySelectorAll('.tile figcaption')[1].textContent"
    b.click("button.refused", 0)
    check(f"a refused layout is drawn: {b.js(head)}", b.js(head).startswith("Ruled outc0 * 32 + c1"))
    equal("with its lanes that meet", len(marks(b, 1, True)), 32)
    equal("its button is pressed", b.js("document.querySelector('button.refused').getAttribute('aria-pressed')"), "true")
    b.click("button.back")
    check("and back", b.js(head).startswith("Chosenc0 * 33 + c1"))
    equal("without them", len(marks(b, 1, True)), 0)


def check_trade(b):
    b.js("document.querySelector('#trade svg[tabindex]').focus()")
    text = "document.querySelector('#trade .status').textContent"
    press(b, "Home")
    check(f"a point of the trade: {b.js(text)}", "4,096 bytes, 1,056 wavefronts, 8 blocks per SM" in b.js(text))
    b.key("Enter")
    equal("Enter shows it in the tile", len(marks(b, 1)), 32)
    equal("one star", b.js("document.querySelectorAll('#trade svg[tabindex] .point-chosen').length"), 1)
    b.click("button.back")


def check_gathering(b):
    """Of equal layouts the chosen one stands for all, wherever it is among them, or else the first."""
    for chosen, want in ((0, 0), (1, 1), (2, 2), (None, 0)):
        got = b.js(f"""JSON.stringify(gatherPoints([0, 1, 2].map(
          id => ({{id, bytes: 8, wavefronts: 4, swizzle: [], layouts: 1, chosen: id === {json.dumps(chosen)}}})))
          .map(p => [p.id, p.layouts]))""")
        equal(f"of three equal ones, {chosen} chosen", json.loads(got), [[want, 3]])


def check_copy(b):
    for i, want in enumerate(["int offset(int c0, int c1) { return c0 * 33 + c1; }", "Layout<Shape<_32, _32>, Stride<Int<33>, _1>>{}"]):
        b.click(".copy", i)
        equal(f"copy {i}", b.js(f"new Promise(r => setTimeout(() => r(document.querySelectorAll('.copy')[{i}].dataset.copied), 50))"), want)
    check("TMA has no pads", b.js("document.querySelectorAll('.copy')[2].disabled"))


def check_access(b):
    """Everything that can be pressed has a name, and is reached by Tab in the order of the page."""
    nameless = b.js("[...document.querySelectorAll('button, input, [role=application], [tabindex=\"0\"]')].filter(e => !e.textContent.trim() && !e.getAttribute('aria-label')).length")
    equal("nameless controls", nameless, 0)
    equal("pictures without a name", b.js("[...document.querySelectorAll('svg')].filter(e => e.getAttribute('aria-hidden') !== 'true' && !e.getAttribute('aria-label')).length"), 0)
    b.js("document.activeElement.blur(); window.scrollTo(0, 0); document.querySelector('.skip').focus()")
    order = []
    for _ in range(16):
        order.append(b.js("(e => e.className || e.type || e.tagName)(document.activeElement)"))
        b.key("Tab")
    check(f"the order of focus: {order}", order.index("copy") < order.index("window") < order.index("range"))


def check_media(b):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = b.js(ground)
    b.media(scheme="dark")
    check("dark", b.js(ground) != light and b.js("getComputedStyle(document.body).color") != "rgb(22, 25, 29)")
    b.media(media="print", scheme="dark")
    equal("print is on white", b.js(ground), "rgb(255, 255, 255)")
    equal("without controls", b.js("[...document.querySelectorAll('.copy, .back, input')].filter(e => e.getClientRects().length).length"), 0)
    equal("what was chosen alone", b.js("[...document.querySelectorAll('.choice button')].filter(e => e.getClientRects().length).map(e => e.textContent).join(' ')"), "drain")
    check("refused layouts stay", b.js("document.querySelector('button.refused').getClientRects().length") == 1)
    equal("nothing is cut off", b.js("[...document.querySelectorAll('.window, .tall')].filter(e => getComputedStyle(e).overflow !== 'visible').length"), 0)
    b.media()
    pdf = b.pdf()
    check(f"a PDF of {len(pdf)} bytes", pdf.startswith(b"%PDF") and len(pdf) > 20000)


def check_transpose(b):
    check_zoom(b)
    check_slider(b)
    check_hover(b)
    check_keys(b)
    check_refused(b)
    check_trade(b)
    check_gathering(b)
    check_copy(b)
    check_access(b)
    check_media(b)
    foot = b.js("document.getElementById('foot').innerText")
    check(f"the footer: {foot}", all(text in foot for text in ("kgen --dry-run -q --html transpose.html", "sm_90", "transpose_f32_pad.yaml")))


def check_many(b, source):
    check_formula(b, source)
    check_spelling(b)
    check_costs(b)
    equal("a row a spec", b.js("document.querySelectorAll('main > div > .scroll tbody tr').length"), 17)
    b.click("tbody a", 2)
    equal("one of two tiles", b.js("document.querySelectorAll('.choice[aria-label=tile] button').length"), 2)
    b.click(".choice[aria-label=tile] button", 1)
    check("the other one", b.js("kgen.page.section().tile.name") == tiles_of("many.html")[3]["name"])


def check_large(b):
    b.open("narrow_rows.html")
    check_scrolling(b)
    b.open("large.html")
    """Every row of a 128 x 128 tile is reached, without a node for each of its cells."""
    check("few nodes", b.js("document.querySelectorAll('.tile')[0].querySelectorAll('*').length") < 2500)
    b.js("document.querySelector('.tile .window').focus()")
    press(b, "ArrowDown")
    b.js("(v => v.onCursor(16383))(kgen.page.section().plain)")
    press(b, "ArrowUp")
    check(f"the last row but one: {status(b)}", status(b).startswith("c0 126, c1 127: offset 16255,"))
    check("is in view", b.js("""(() => { const v = kgen.page.section().plain, w = v.window.getBoundingClientRect(), c = v.pointer.getBoundingClientRect();
      return c.top >= w.top && c.bottom <= w.bottom && c.left >= w.left && c.right <= w.right; })()"""))


def check_sweep(b):
    equal("candidates", b.js("document.querySelectorAll('main button.candidate').length"), 6)
    b.click("button.candidate", 2)
    check("the one that was pressed", "c0 * 34 + c1" in b.js("document.querySelectorAll('.tile figcaption')[1].textContent"))
    strip = "document.querySelector('.strip').innerText"
    check(f"a set layout is not called unproven: {b.js(strip)}", "as set" in b.js(strip) and "proven" not in b.js(strip))
    names = b.js("[...document.querySelectorAll('button.candidate')].map(x => x.textContent)")
    equal("what tells candidates apart", names, [f"pad = {pad}" for pad in range(5)] + ["the solver's choice"])
    b.click("button.candidate", 5)
    check("the solver's is", "proven" in b.js(strip))


def check_lint(b):
    check("the strip", "conflicts" in b.js("document.querySelector('.fact.bad').textContent"))
    over = b.js("[...document.querySelectorAll('.source tr.hot')].map(tr => tr.innerText)")
    check(f"hot lines: {over}", len(over) == 4 and all("✗ 992" in row and "✓ 0" in row for row in over))
    equal("before and after", b.js("[...document.querySelectorAll('.tile figcaption b')].map(x => x.textContent).join(', ')"), "As it is, With the fix")
    equal("before, all wait", len(marks(b, 0, True)), 32)
    equal("after, none", len(marks(b, 1, True)), 0)
    b.call("Emulation.setDeviceMetricsOverride", width=500, height=900, deviceScaleFactor=1, mobile=False)
    beyond = b.js("""[...document.querySelectorAll('.source tr.note')].map(tr => {
      const words = document.createRange(); words.selectNodeContents(tr.lastChild.lastChild);
      return words.getBoundingClientRect().right - tr.closest('.source').getBoundingClientRect().right; })""")
    check(f"notes wrap at the page's width: {beyond}", len(beyond) >= 4 and all(pixels <= 0 for pixels in beyond))
    check_phone(b)
    b.call("Emulation.clearDeviceMetricsOverride")


def check_phone(b):
    """At 375 pixels the source is what is seen first, whole lines of it, with the costs below each line."""
    b.call("Emulation.setDeviceMetricsOverride", width=375, height=800, deviceScaleFactor=1, mobile=False)
    place = b.js("""[...document.querySelectorAll('.source tr.hot')].map(tr => {
      const frame = tr.closest('.source').getBoundingClientRect(), text = tr.querySelector('.text').getBoundingClientRect();
      const cells = [...tr.querySelectorAll('td:not(.text)')].map(td => td.getBoundingClientRect()).filter(box => box.width);
      return {left: text.left - frame.left, beyond: Math.max(text.right, ...cells.map(box => box.right)) - frame.right,
              above: cells.filter(box => box.top < text.bottom - 1).length, cells: cells.length}; })""")
    check(f"the source first, its costs below: {place}",
          len(place) == 4 and all(p["left"] < 60 and p["beyond"] <= 0 and p["above"] == 0 and p["cells"] >= 3 for p in place))
    equal("nothing to scroll to the right", b.js("[...document.querySelectorAll('.source')].filter(s => s.scrollWidth > s.clientWidth).length"), 0)
    check("what a number is", "wavefronts" in b.js("getComputedStyle(document.querySelector('.source tr.hot td'), '::before').content"))


def check_exec(b):
    """A program of two processes: its kernels in a table, the first with something wrong open, another one at a press."""
    names = b.js("[...document.querySelectorAll('button.candidate')].map(x => x.textContent)")
    equal("its kernels", sorted(set(names)), ["column", "fill", "race"])
    rows = b.js("[...document.querySelectorAll('button.candidate')].map(x => x.closest('tr').innerText)")
    clean, race = rows[names.index("fill")], rows[names.index("race")]
    check(f"what is clean and what is not: {rows}", clean.count("✓ 0") == 2 and race.count("✗") == 2)
    shown = "[...document.querySelectorAll('h2')].map(x => x.textContent).find(x => ['column', 'fill', 'race'].includes(x))"
    check("one with something wrong is open", b.js(shown) in ("column", "race"))
    for name in ("race", "fill"):
        b.click("button.candidate", names.index(name))
        equal("the one that was pressed", b.js(shown), name)
        equal("and marked", b.js("document.querySelector('tr.on button').textContent"), name)
    check("where it was launched", "launched from" in b.js("document.querySelector('p.about').textContent"))


def check_run(b):
    """A timed run on a GPU, as its JSON would have it."""
    data = data_of("transpose.html")
    spec = data["report"]["specs"][0]
    wavefronts = {"predicted_load": 384, "measured_load": 384, "predicted_store": 384, "measured_store": 400}
    control = {"wavefronts": {"predicted_load": 12288, "measured_load": 12288, "predicted_store": 384, "measured_store": 384}}
    spec["run"] = {"backend": "cuda", "device": "NVIDIA H200", "correct": True, "max_error": 0, "wavefronts": wavefronts, "control": control,
                   "time_ms": {"median": 0.6, "min": 0.6, "noise": 0.001, "samples": 15}, "gbps": 3569.0}
    spec["page"]["rates"] = {"bytes": 2147483648, "none_gbps": 1639.0, "copy_gbps": 4209.0}
    with_data("transpose.html", "run.html", data)
    equal("complaints about a run", b.open("run.html"), [])
    rows = b.js("[...document.querySelectorAll('#run tbody tr')].map(tr => tr.innerText)")
    check(f"predicted beside counted: {rows}", "equal" in rows[0] and "differs" in rows[1])
    names = b.js("[...document.querySelectorAll('#run .bars')].at(-1).innerText")
    check(f"bars: {names}", all(word in names for word in ("kgen", "3,569", "copy", "4,209", "1,639", "cuBLAS geam")))


    b.call("Emulation.setDeviceMetricsOverride", width=390, height=900, deviceScaleFactor=1, mobile=False)
    b.open("run.html")
    widths = b.js("[...document.querySelectorAll('#run .bars')].map(bars => [...bars.querySelectorAll('.bar')].map(bar => bar.getBoundingClientRect().width))")
    check(f"bars on a phone are as long as their values: {widths}", all(max(w) > 150 for w in widths) and min(widths[0]) < max(widths[0]) / 16)
    equal("figures of bars, one for each unit", len(widths), 2)
    check(f"384 stores are as short as 384 loads: {widths}", max(widths[0][3:]) < max(widths[0]) / 16)
    b.call("Emulation.clearDeviceMetricsOverride")


def check_unrolled(b):
    """The accesses of an unrolled loop, dozens of one line, are one access; of more than a few lines a menu has them."""
    data = data_of("lint.html")
    tile = data["arrays"][0]
    for copies, lines, control in ((33, 1, "button"), (40, 20, "option")):
        unrolled = json.loads(json.dumps(data))
        array = unrolled["arrays"][0]
        array["lanes"] = [tile["lanes"][1]] * copies
        array["places"] = [{**tile["places"][1], "line": 9 + i % lines} for i in range(copies)]
        with_data("lint.html", "unrolled.html", unrolled)
        equal("complaints of an unrolled loop", b.open("unrolled.html"), [])
        names = b.js(f"[...document.querySelectorAll('.choice {control}')].map(x => x.textContent)")
        equal(f"accesses of {copies} instructions on {lines} lines", names, [f"line {9 + i}, {tile['lanes'][1]['op']}" for i in range(lines)])
        most = b.js("Number(document.querySelector('input[type=range]').max) + 1")
        equal("with the instructions of all", most, copies // lines * len(tile["lanes"][1]["instructions"]))


def check_given(b):
    """A layout that is an arbitrary map, and an access that moves boxes: no strides, and no lanes."""
    data = data_of("transpose.html")
    spec = data["report"]["specs"][0]
    tile = spec["page"]["tiles"][0]
    tile["chosen"] |= {"kind": "expr", "expr": "1023 - i", "offsets": [1023 - i for i in range(1024)], "strides": [32, 1], "bytes": 4096}
    tile["lanes"][0]["instructions"] = tile["lanes"][0]["patterns"] = []
    with_data("transpose.html", "given.html", data)
    equal("complaints about a given layout", b.open("given.html"), [])
    b.js("document.querySelector('.tile .window').focus()")
    press(b, "ArrowRight")
    check(f"its offsets: {status(b, 1)}", "offset 1022, byte 4088, bank 30" in status(b, 1))
    equal("only what has lanes", b.js("document.querySelectorAll('.choice[aria-label=access] button').length"), 1)


def check_widths(b):
    """On a phone and on paper nothing lies beyond the right edge, however long paths and lines are."""
    data, long = data_of("exec.html"), "/".join(["a_folder_of_a_long_name"] * 6)
    data["report"]["exec"]["program"] = data["report"]["lint"][0]["launched_from"][0]["function"] = long
    data["launches"][0]["sources"][0]["lines"][3] = long.replace("/", "")
    with_data("exec.html", "long.html", data)
    for media, width in (("", 500), ("print", 700)):
        b.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        b.media(media=media)
        equal("complaints about long names", b.open("long.html"), [])
        equal(f"the width of long names on {media or 'a phone'}", b.js("document.documentElement.scrollWidth"), width)
    b.open("many.html")
    equal("cut off on paper", b.js("[...document.querySelectorAll('.scroll, .tall, pre')].filter(x => x.scrollWidth > x.clientWidth + 1).length"), 0)
    b.media()
    b.call("Emulation.clearDeviceMetricsOverride")


def main():
    command, source = sys.argv[1:]
    specs = len(list(Path(source, "specs").glob("*.yaml")))
    b = chromium.Browser(command)
    try:
        pages = {"transpose": check_transpose, "large": check_large, "sweep": check_sweep, "lint": check_lint, "exec": check_exec}
        for name, behaves in pages.items():
            equal(f"complaints of {name}", b.open(f"{name}.html"), [])
            behaves(b)
            equal(f"what {name} loads", [r.split("/")[-1] for r in b.requests()], [f"{name}.html"])
            equal(f"complaints of {name} afterwards", b.complaints(), [])
        check_run(b)
        check_given(b)
        check_unrolled(b)
        check_layouts(b, check, equal)
        check_every(b, {"every.html": specs, "kinds.html": 13, "sweep.html": 7, "tiles.html": 3, "lint.html": 1, "exec.html": 5, "run.html": 1}, check, equal)
        check_widths(b)
        equal("complaints of many", b.open("many.html"), [])
        check_many(b, source)
    finally:
        b.close()
    print(f"browser_check: {count} checks, {failures} failed")
    return failures > 0 or count == 0


sys.exit(main())
