import type { Dictionary } from '../../i18n/words';
import { en } from './words/en';
import { ru } from './words/ru';
import { vi } from './words/vi';

export const words: Dictionary<typeof en> = { en, ru, vi };
