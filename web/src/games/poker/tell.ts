import type { Telling } from '../contract';
import { cardsOf, cardSigns } from './cards';
import { Betting, broughtIn, readAct } from './hand';
import { labelText } from './label';
import type { Poker, Sight } from './types';

type SightOf<T extends Sight['type']> = Extract<Sight, { type: T }>;

/** Tells sights as sentences, one hand after the other. */
class Teller {
  private readonly betting: Betting;

  constructor(private readonly telling: Telling<Poker>) {
    this.betting = new Betting(telling.before);
  }

  private name(seat: number | undefined): string {
    return this.telling.names[seat ?? -1] ?? '';
  }

  tell(sight: Sight): (string | null)[] {
    const { t } = this.telling;
    switch (sight.type) {
      case 'hand_begun':
        return this.begun(sight);
      case 'act':
        return [this.act(sight.act)];
      case 'hand_ended':
        return this.ended(sight);
      case 'joined':
      case 'topped':
      case 'left':
        return [t(`said.${sight.type}`, { name: this.name(sight.seat), chips: sight.chips })];
      case 'wished':
        return [`${this.name(sight.seat)}: ${t(`intent.${sight.intent}`).toLowerCase()}`];
      case 'missed':
        return [t('said.missed', { name: this.name(sight.seat) })];
      case 'rabbit':
        return [t('said.rabbit', { cards: cardSigns(sight.cards) })];
      case 'closed':
        return [t('closed')];
      case 'begun':
      case 'prepared':
        return [];
    }
  }

  private begun({ hand, row, variant = 'NT' }: SightOf<'hand_begun'>): string[] {
    const { t } = this.telling;
    this.betting.begin(row);
    const said = (key: 'said.dead' | 'said.blind', part: 'dead' | 'blind') =>
      row
        .filter((column) => column[part] > 0)
        .map((column) => t(key, { name: this.name(column.seat), chips: column[part] }));
    return [
      t('said.hand', { n: hand, variant: t(`variant.${variant}`) }),
      ...said('said.dead', 'dead'),
      ...said('said.blind', 'blind'),
    ];
  }

  private act(line: string): string | null {
    const { t, view, seat } = this.telling;
    const act = readAct(line);
    if (!act) return null;
    const { check, paid, allIn } = this.betting.act(act, broughtIn(act, view));
    if (act.does === 'board') return t('said.board', { cards: cardSigns(act.cards) });
    const mine = this.betting.seat(act.player) === seat && seat !== null;
    const name = this.name(this.betting.seat(act.player));
    switch (act.does) {
      case 'hole': {
        const cards = cardSigns(act.cards);
        if (!cards) return null;
        return mine ? t('said.own', { cards }) : t('said.show', { name, cards });
      }
      case 'fold':
      case 'bring_in':
        return t(`said.${act.does}`, { name });
      case 'call':
      case 'raise': {
        const what = check
          ? t('said.check', { name })
          : act.does === 'raise'
            ? t('said.raise', { name, chips: act.to })
            : t('said.call', { name, chips: paid });
        return allIn ? t('said.all_in', { what }) : what;
      }
      case 'discard': {
        const n = cardsOf(act.cards).length;
        return n === 0 ? t('said.keep', { name }) : t('said.discard', { name, n });
      }
      case 'show': {
        const cards = cardSigns(act.cards);
        if (!cards) return t('said.muck', { name });
        const made = this.made(this.betting.seat(act.player));
        return made ? t('said.show.made', { name, cards, made }) : t('said.show', { name, cards });
      }
    }
  }

  private made(seat: number | undefined): string {
    const { t, view } = this.telling;
    const label = view.players.find((player) => player.seat === seat)?.label;
    return label ? labelText(label, t) : '';
  }

  private ended({ stacks, raked }: SightOf<'hand_ended'>): string[] {
    const { t } = this.telling;
    const won = this.betting.won(stacks);
    const lines = won.map(({ seat, chips }) => t('wins', { name: this.name(seat), chips }));
    return raked > 0 ? [...lines, t('said.raked', { chips: raked })] : lines;
  }
}

export function describe(sights: Sight[], telling: Telling<Poker>): string[] {
  const teller = new Teller(telling);
  return sights.flatMap((sight) => teller.tell(sight)).filter((line) => line !== null);
}
