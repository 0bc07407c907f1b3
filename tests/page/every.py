"""Opens every page: each spec of a page of many, each candidate of a sweep, each kernel of a report, at every width and scheme."""

import itertools

WIDTHS = (1400, 390)
SCHEMES = ("light", "dark")

# Presses everything that opens a part of the page: specs, candidates, kernels, and within each its tiles or arrays. Returns what went
# wrong: errors, parts beyond the right edge, parts with nothing in them, and parts of too many nodes to open quickly.
WALK = """(async () => {
  const wrong = [], width = document.documentElement.clientWidth;
  let at = 'the page', opened = 0;
  window.addEventListener('error', e => wrong.push(`${at}: ${e.message}`));
  const look = () => {
    opened++;
    const root = document.documentElement, nodes = document.getElementsByTagName('*').length;
    if (root.scrollWidth > width) wrong.push(`${at}: ${root.scrollWidth} pixels wide`);
    if (root.scrollHeight > 12000) wrong.push(`${at}: ${root.scrollHeight} pixels high`);
    if (nodes > 20000) wrong.push(`${at}: ${nodes} nodes`);
    if (document.querySelectorAll('.choice button').length > 24) wrong.push(`${at}: too many buttons`);
    if (!document.querySelector('section') && !document.querySelector('article')) wrong.push(`${at}: nothing to see`);
    const blank = [...document.querySelectorAll('.tile svg')].filter(svg => !svg.querySelector('path'));
    if (blank.length) wrong.push(`${at}: a tile without cells`);
  };
  const parts = () => {
    look();
    const choice = document.querySelector('.choice[aria-label=tile], .choice[aria-label=array]');
    const outer = at;
    for (const button of choice ? [...choice.querySelectorAll('button')].slice(1) : []) {
      at = `${outer}, ${button.textContent}`;
      button.click();
      look();
    }
  };
  parts();
  const openers = [...document.querySelectorAll('main > div > .scroll tbody a, button.candidate')];
  for (const opener of openers) {
    at = opener.textContent;
    opener.click();
    parts();
  }
  return {wrong, opened};
})()"""


def check_every(b, pages, check, equal):
    """pages: {file: how many parts it has at least}; each is opened at each width in each scheme."""
    for width, scheme in itertools.product(WIDTHS, SCHEMES):
        b.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        b.media(scheme=scheme)
        for page, parts in pages.items():
            name = f"{page} at {width} pixels, {scheme}"
            equal(f"complaints of {name}", b.open(page), [])
            found = b.js(WALK)
            equal(f"what is wrong in {name}", found["wrong"][:5], [])
            check(f"parts of {name}: {found['opened']}", found["opened"] >= parts)
            equal(f"complaints of {name} afterwards", b.complaints(), [])
    b.media()
    b.call("Emulation.clearDeviceMetricsOverride")
