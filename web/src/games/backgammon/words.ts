import type { Dictionary, Words } from '../../i18n/words';

const en = {
  'preset.quick': 'One game',
  'preset.match3': 'Match to 3',
  'preset.match7': 'Match to 7',
} satisfies Words;

export const words: Dictionary<typeof en> = {
  en,
  ru: {
    'preset.quick': 'Одна партия',
    'preset.match3': 'Матч до 3 очков',
    'preset.match7': 'Матч до 7 очков',
  },
  vi: {
    'preset.quick': 'Một ván',
    'preset.match3': 'Trận đến 3 điểm',
    'preset.match7': 'Trận đến 7 điểm',
  },
};
