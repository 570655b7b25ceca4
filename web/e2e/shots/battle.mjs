export default async function scenes(page, shot) {
  const phase = (name) => page.locator(`[data-phase="${name}"]`).waitFor();
  const card = (name) => page.locator(`[data-hand="${name}"]`).click();
  await phase('PREP');
  await shot('battle');
  await card('attack');
  await card('heal');
  await shot('battle-laid');
  await card('defense');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await phase('REVEAL');
  await page.locator('[data-far-slot="1"] .change:not(.flies)').waitFor();
  await shot('battle-reveal');
  await phase('PREP');
  await shot('battle-next');
}
