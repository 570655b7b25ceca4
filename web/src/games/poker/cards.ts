import type { Translate } from '../../i18n/words';
import type { Poker } from './types';

export type Suit = 's' | 'h' | 'd' | 'c';
export type Says = Translate<keyof Poker['Words'] & string>;

const SIGNS: Record<Suit, string> = { s: '♠', h: '♥', d: '♦', c: '♣' };
const RANKS = '23456789TJQKA';

/** The cards of a text like `AsKd????`, two letters each. */
export const cardsOf = (text: string): string[] => text.match(/../g) ?? [];

export const isKnown = (card: string): boolean => card !== '??';

export const rankSign = (card: string): string => (card[0] === 'T' ? '10' : (card[0] ?? ''));

/** Cards as people write them: `A♠ 10♦`. */
export function cardSigns(text: string): string {
  return cardsOf(text)
    .filter(isKnown)
    .map((card) => rankSign(card) + SIGNS[card[1] as Suit])
    .join(' ');
}

/** The name of a rank by its letter: `king`, `kings`. */
export function rankName(letter: string, t: Says, many = false): string {
  return t(many ? 'ranks.many' : 'ranks').split(' ')[RANKS.indexOf(letter)] ?? letter;
}

/** A card in words, for who listens. */
export function cardName(card: string, t: Says): string {
  if (!isKnown(card)) return t('card.hidden');
  return t('card', { rank: rankName(card[0] ?? '', t), suit: t(`suit.${card[1] as Suit}`) });
}
