import type { Sitting } from '$wire';
import { t } from '../i18n';

/** Who sits on a chair, for people. */
export function chairName(chair: Sitting): string {
  switch (chair.is) {
    case 'open':
      return t('chair.open');
    case 'kept':
      return t('chair.kept');
    case 'house':
      return t('chair.house', { level: t(`level.${chair.level}`).toLowerCase() });
    case 'taken':
      return chair.here ? chair.name : t('chair.away', { name: chair.name });
  }
}

/** How to call them in sentences; where the house has several chairs, each has a number. */
export function chairNames(chairs: Sitting[], seat: number | null): string[] {
  const several = chairs.filter((chair) => chair.is === 'house').length > 1;
  return chairs.map((chair, at) => {
    if (at === seat) return t('chair.you');
    if (chair.is === 'taken') return chair.name;
    return several && chair.is === 'house' ? t('chair.house.number', { n: at + 1 }) : chairName(chair);
  });
}
