// What every screen is measured by.
import assert from 'node:assert/strict';

/** What can be touched, with the size of it; of the boards only what stands outside of them. */
export async function smallTargets(page) {
  return page.evaluate(() => {
    const small = [];
    for (const element of document.querySelectorAll('button, a[href], input, select, [role="button"]')) {
      if (element.closest('.board, [aria-hidden="true"]') || !element.checkVisibility({ visibilityProperty: true })) continue;
      const modal = document.querySelector('dialog[open]');
      if (modal && !modal.contains(element)) continue;
      const touched = element.matches('input[type="radio"], input[type="checkbox"]') ? element.closest('label') ?? element : element;
      const { width, height } = touched.getBoundingClientRect();
      if (width < 43.5 || height < 43.5) small.push(`${touched.outerHTML.slice(0, 120)}: ${width} × ${height}`);
    }
    return small;
  });
}

/** Counts from now on what moves on the page without having been touched. */
export async function watchShifts(page) {
  await page.addInitScript(() => {
    globalThis.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        const what = entry.sources.map(({ node }) => (node instanceof Element ? node.outerHTML : node?.textContent)?.slice(0, 120));
        globalThis.shifts.push({ value: entry.value, what });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

export async function steady(page) {
  const shifts = await page.evaluate(() => globalThis.shifts);
  const sum = shifts.reduce((all, { value }) => all + value, 0);
  assert.ok(sum < 0.01, JSON.stringify(shifts));
}

/** All that is written on the screen or read out: texts, labels, titles, and the tab. */
export async function shownTexts(page) {
  return page.evaluate(() => {
    const told = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) told.push(walker.currentNode.textContent ?? '');
    for (const element of document.querySelectorAll('*')) {
      for (const name of ['aria-label', 'aria-valuetext', 'title', 'placeholder', 'alt']) {
        const text = element.getAttribute(name);
        if (text) told.push(text);
      }
    }
    return told.map((text) => text.trim()).filter((text) => /\p{L}/u.test(text));
  });
}
