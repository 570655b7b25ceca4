import type { Level, Sitting } from '$wire';
import { t } from '../i18n';

const houseName = (level: Level): string => t('chair.house', { level: t(`level.${level}`).toLowerCase() });

/** A name of a history, in which the house has one that nobody else can have. */
export function playerName(name: string): string {
  const level = /^house \((easy|medium|hard)\)$/.exec(name)?.[1];
  return level ? houseName(level as Level) : name;
}

/** Who sits on a chair, for people. */
export function chairName(chair: Sitting): string {
  switch (chair.is) {
    case 'open':
      return t('chair.open');
    case 'kept':
      return t('chair.kept');
    case 'house':
      return houseName(chair.level);
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
