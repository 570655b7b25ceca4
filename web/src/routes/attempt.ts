import { sentence } from '../i18n';
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
