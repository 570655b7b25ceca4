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

/** How to call them in sentences. */
export function chairNames(chairs: Sitting[], seat: number | null): string[] {
  return chairs.map((chair, at) =>
    at === seat ? t('chair.you') : chair.is === 'taken' ? chair.name : chairName(chair),
  );
}
