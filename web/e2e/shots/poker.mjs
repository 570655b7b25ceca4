import { asked } from '../harness.mjs';

/** A hand from the first decision to its end, and a pause. */
export default async function scenes(page, shot) {
  const acts = page.locator('.acts button');
  await asked(page);
  await shot('poker');
  await acts.nth(1).click();
  await shot('poker-waiting');
  for (let i = 0; i < 12 && (await page.locator('.won').count()) === 0; i++) {
    await Promise.any([asked(page), page.locator('.won').first().waitFor()]);
    if ((await acts.nth(1).getAttribute('aria-disabled')) === 'false') await acts.nth(1).click();
  }
  await shot('poker-over');
  await page.getByRole('button', { name: 'Seat and deck' }).click();
  await shot('poker-menu');
  await page.getByRole('dialog').getByRole('button', { name: 'Sit out', exact: true }).click();
  await page.locator('.rest').waitFor();
  await shot('poker-out');
}
