import { prefs } from '../../state/prefs.svelte';

/** Chips as the reader writes numbers. */
export const amount = (chips: number): string => chips.toLocaleString(prefs.language, { maximumFractionDigits: 4 });
