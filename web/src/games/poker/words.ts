import type { Dictionary, Words } from '../../i18n/words';

const en = {
  'preset.quick': 'Blinds 1/2, six seats',
  'preset.heads_up': 'Blinds 1/2, two seats',
  'preset.full': 'Blinds 1/2, nine seats',
} satisfies Words;

export const words: Dictionary<typeof en> = {
  en,
  ru: {
    'preset.quick': 'Блайнды 1/2, шесть мест',
    'preset.heads_up': 'Блайнды 1/2, два места',
    'preset.full': 'Блайнды 1/2, девять мест',
  },
  vi: {
    'preset.quick': 'Mù 1/2, sáu ghế',
    'preset.heads_up': 'Mù 1/2, hai ghế',
    'preset.full': 'Mù 1/2, chín ghế',
  },
};
