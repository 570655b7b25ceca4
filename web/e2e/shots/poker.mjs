import { asked } from '../harness.mjs';

/** A hand from the first decision to its end, and a pause. */
export default async function scenes(page, shot) {
  const acts = page.getByRole('group', { name: 'What you can do' }).locator('.acts button');
  await asked(page);
  await shot('poker');
  await acts.nth(1).click();
  await shot('poker-waiting');
  for (let i = 0; i < 12 && (await page.locator('.won').count()) === 0; i++) {
    await Promise.any([asked(page), page.locator('.won').first().waitFor()]);
    const can = acts.nth(1).and(page.locator('[aria-disabled="false"]'));
    if (await can.count()) await can.click();
  }
  await shot('poker-over');
  await page.getByRole('button', { name: 'Seat and deck' }).click();
  await shot('poker-menu');
  await page.getByRole('dialog').getByRole('button', { name: 'Sit out', exact: true }).click();
  await page.locator('.rest').waitFor();
  await shot('poker-out');
}
