import type { Dictionary, Words } from '../../i18n/words';

const en = {
  'preset.quick': 'Three rounds',
} satisfies Words;

export const words: Dictionary<typeof en> = {
  en,
  ru: {
    'preset.quick': 'Три раунда',
  },
  vi: {
    'preset.quick': 'Ba hiệp',
  },
};
