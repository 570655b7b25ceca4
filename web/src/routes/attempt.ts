import { sentence, t } from '../i18n';
import type { Dictionary, Words } from '../i18n/words';
import { refusal } from '../net/refused';
import { toast } from '../ui/notices.svelte';

/** Does something, and says why when it is refused. Gives whether it was done. */
export async function attempt(what: () => Promise<unknown>, words?: Dictionary<Words>): Promise<boolean> {
  try {
    await what();
    return true;
  } catch (error) {
    toast(sentence(refusal(error), words));
    return false;
  }
}

/** Puts an address of the page where it can be pasted from. */
export async function copyLink(address: string): Promise<void> {
  const link = location.origin + address;
  const copied = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error('no clipboard'));
  toast(await copied.then(() => t('table.copied'), () => link));
}
