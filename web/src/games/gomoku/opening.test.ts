// @vitest-environment happy-dom
// The properties of the Swap 2 opening rule, of what the page shows and says.
import type { Tell } from '$wire';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { after, askOf, legalOf, moments, newGame, openings, pointOf, setups } from '../../../test/swap2';
import { translator } from '../../i18n';
import { game } from '.';
import { assignment, choices, laying, marked, nextStone, step } from './opening';
import { changed, settingsOf, SIZES, TIMES } from './settings';
import { pointName, type Choice, type Command, type Legal, type Phase, type Sight, type View } from './types';

const ANY_CHOICE: Choice[] = ['black', 'white', 'place_more'];
const lines = (path: string) =>
  readFileSync(`../conformance/${path}`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const holds = <T>(what: fc.Arbitrary<T>, property: (value: T) => void) =>
  fc.assert(fc.property(what, property), { numRuns: 200 });
const seats = ({ opener }: { opener: number }) => ({ first: opener, second: 1 - opener });

/** All that the page shows of an opening to the one and the other. */
const shown = (view: View) => ({
  step: step(view),
  marked: marked(view),
  assignment: assignment(view),
  next: nextStone(view),
  choices: [0, 1].map((seat) => choices(legalOf(view, seat), askOf(view, seat))),
});

describe('what the properties are tested with is what a server says', () => {
  test('over the protocol', () => {
    let view = newGame({ players: ['0', '1'], opener: 0, first: 'X', size: 15 });
    const updates: Extract<Tell, { type: 'update' }>[] = [];
    for (const { who, says, told } of lines('protocol/gomoku-swap2.jsonl')) {
      const said = says as { type: string; command: Command } | undefined;
      const tell = told as Tell | undefined;
      if (said?.type === 'play' && said.command.type !== 'move' && said.command.type !== 'resign') {
        const { command } = said;
        if (command.type === 'make_choice' && !ANY_CHOICE.includes(command.choice)) continue;
        view = after(view, command).view;
      }
      if (tell?.type !== 'update' || (tell.view as View).up === null || (tell.view as View).moves.length > 0) continue;
      const seat = who === 'anna' ? 0 : 1;
      const legal = tell.legal as Legal;
      const offers = (command: string) => command !== 'offer_draw';
      if ((tell.view as View).up === view.up) {
        expect(tell.view).toMatchObject({ ...view, match: { config: view.match.config } });
        expect({ ...legal, commands: legal.commands.filter(offers) }).toEqual(legalOf(view, seat));
        expect(tell.ask !== null).toBe(askOf(view, seat) !== null);
        updates.push(tell);
      }
    }
    expect(updates.length).toBeGreaterThanOrEqual(8);
    expect(view.swap2State?.phase).toBe('complete');
  });

  test.each(['flow-choice', 'flow-choice-black', 'flow-place-more', 'flow-place-more-black'])('%s', (name) => {
    let view = newGame({ players: ['0', '1'], opener: 0, first: 'X', size: 15 });
    let compared = 0;
    for (const { ask, answer } of lines(`gomoku/transcripts/${name}.jsonl`)) {
      const { play } = (ask ?? {}) as { play?: { command: Command } };
      const { state, events } = (answer ?? {}) as { state?: Partial<View>; events?: Sight[] };
      if (play?.command.type === 'move') break;
      if (play) {
        const next = after(view, play.command);
        expect(next.sights).toEqual(events);
        view = next.view;
      } else if (state?.swap2State) {
        const { phase, activePlayerId = view.swap2State?.activePlayerId } = state.swap2State;
        expect(view.swap2State).toMatchObject({ phase, activePlayerId });
        if (state.up !== undefined) expect(view.up).toBe(state.up);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(0);
    expect(view.swap2State?.phase).toBe('complete');
  });
});

// **Feature: swap2-opening-rule, Property 1: Initial Phase Correctness**
// **Validates: Requirements 1.1**
test('property 1: a game with Swap 2 begins with the first player, who lays 0/3', () => {
  holds(setups, (setup) => {
    expect(step(newGame(setup))).toEqual({ phase: 'swap2_placement', seat: setup.opener, laid: 0, of: 3 });
  });
});

// **Feature: swap2-opening-rule, Property 2: State Machine Transition Correctness**
// **Validates: Requirements 1.2, 1.3, 1.5, 1.6**
test('property 2: the phases that are shown follow the state machine', () => {
  const next: Record<Phase, Phase[]> = {
    swap2_placement: ['swap2_placement', 'swap2_choice'],
    swap2_choice: ['swap2_extra', 'complete'],
    swap2_extra: ['swap2_extra', 'swap2_final_choice'],
    swap2_final_choice: ['complete'],
    complete: [],
  };
  holds(openings, ({ frames }) => {
    const phases = frames.map(({ view }) => step(view)?.phase ?? 'complete');
    phases.slice(1).forEach((phase, i) => expect(next[phases[i] as Phase]).toContain(phase));
    expect(phases[0]).toBe('swap2_placement');
    expect(phases.at(-1)).toBe('complete');
  });
});

// **Feature: swap2-opening-rule, Property 3: Stone Count Invariant**
// **Validates: Requirements 2.1, 2.2, 2.3**
test('property 3: the counter and the numbered stones are those of the phase', () => {
  const counts: Record<Exclude<Phase, 'complete'>, string[]> = {
    swap2_placement: ['0/3', '1/3', '2/3'],
    swap2_choice: ['3/3'],
    swap2_extra: ['3/5', '4/5'],
    swap2_final_choice: ['5/5'],
  };
  holds(moments, ({ frame: { view } }) => {
    const now = step(view);
    const stones = marked(view);
    expect(stones.map(({ order }) => order)).toEqual(stones.map((_, i) => i + 1));
    expect(stones.filter(({ newest }) => newest)).toEqual(stones.slice(-1));
    if (!now) return;
    expect(counts[now.phase]).toContain(`${now.laid}/${now.of}`);
    expect(stones).toHaveLength(now.laid);
  });
});

// **Feature: swap2-opening-rule, Property 4: Occupied Cell Rejection**
// **Validates: Requirements 2.4**
test('property 4: a touch on a stone says nothing', () => {
  holds(moments, ({ frame: { view } }) => {
    for (const stone of marked(view)) {
      for (const seat of [0, 1]) expect(laying(legalOf(view, seat), askOf(view, seat), stone)).toBeNull();
    }
  });
});

// **Feature: swap2-opening-rule, Property 5: Color Assignment Correctness**
// **Validates: Requirements 3.2, 3.3**
test('property 5: who chooses a colour is shown with it, and the other with the other', () => {
  holds(openings, ({ frames, chosen }) => {
    const view = frames.at(-1)?.view as View;
    expect(assignment(view)?.[chosen.colour]).toBe(chosen.seat);
    expect(assignment(view)?.[chosen.colour === 'black' ? 'white' : 'black']).toBe(1 - chosen.seat);
    frames.slice(0, -1).forEach((frame) => expect(assignment(frame.view)).toBeNull());
  });
});

// **Feature: swap2-opening-rule, Property 6: Available Options Correctness**
// **Validates: Requirements 3.1, 3.5**
test('property 6: three options at the first choice, two at the last, none elsewhere', () => {
  holds(moments, ({ opening, frame: { view } }) => {
    const { first, second } = seats(opening.setup);
    const of = (seat: number) => choices(legalOf(view, seat), askOf(view, seat));
    const phase = step(view)?.phase;
    expect(of(second)).toEqual(phase === 'swap2_choice' ? ['black', 'white', 'place_more'] : []);
    expect(of(first)).toEqual(phase === 'swap2_final_choice' ? ['black', 'white'] : []);
  });
});

// **Feature: swap2-opening-rule, Property 7: Next Mover Determination**
// **Validates: Requirements 3.6**
test('property 7: after the opening black is shown to move first, or white where the table says so', () => {
  holds(openings, ({ frames, setup }) => {
    const view = frames.at(-1)?.view as View;
    const has = assignment(view);
    expect(has?.first).toBe(setup.first === 'X' ? has?.black : has?.white);
    expect(game.active(view)).toEqual([has?.first]);
    expect(nextStone(view)).toBe(setup.first);
  });
});

const presets = fc.constantFrom(...game.presets);
const changes = fc.record(
  {
    size: fc.constantFrom(...SIZES),
    swap2: fc.boolean(),
    series: fc.boolean(),
    seconds: fc.constantFrom(...TIMES),
  },
  { requiredKeys: [] },
);

// **Feature: swap2-opening-rule, Property 8: Ranked Mode Enforcement**
// **Validates: Requirements 4.1**
test('property 8: a ranked table is shown with Swap 2, whatever is chosen', () => {
  holds(fc.tuple(presets, changes), ([preset, change]) => {
    expect(settingsOf(changed(preset, change), true).swap2).toBe(true);
  });
});

test('what is chosen is what will be played, and nothing else changes', () => {
  holds(fc.tuple(presets, changes), ([preset, change]) => {
    expect(settingsOf(changed(preset, change), false)).toEqual({ ...settingsOf(preset, false), ...change });
  });
});

// **Feature: swap2-opening-rule, Property 9: Disabled Swap 2 Behavior**
// **Validates: Requirements 4.3**
test('property 9: without Swap 2 nothing of it is shown, and black moves', () => {
  holds(setups, (setup) => {
    const view = newGame(setup, false);
    expect(shown(view)).toEqual({ step: null, marked: [], assignment: null, next: 'X', choices: [[], []] });
    expect(laying(legalOf(view, setup.opener), askOf(view, setup.opener), { x: 0, y: 0 })?.type).toBe('move');
  });
});

// **Feature: swap2-opening-rule, Property 10: Series Swap 2 Reset**
// **Validates: Requirements 6.3**
test('property 10: the next game of a series is shown opening afresh, whatever came before', () => {
  holds(openings, ({ frames, setup }) => {
    const last = frames.at(-1)?.view as View;
    const next: View = {
      ...newGame({ ...setup, opener: 1 - setup.opener }),
      match: { ...last.match, score: [1, 0], history: [{}] },
    };
    expect(step(next)).toEqual({ phase: 'swap2_placement', seat: 1 - setup.opener, laid: 0, of: 3 });
    expect(marked(next)).toEqual([]);
    expect(assignment(next)).toBeNull();
  });
});

// **Feature: swap2-opening-rule, Property 11: State Persistence Round-Trip**
// **Validates: Requirements 7.1, 7.2**
test('property 11: what comes back over the wire is shown as before', () => {
  holds(moments, ({ frame: { view } }) => {
    expect(shown(JSON.parse(JSON.stringify(view)) as View)).toEqual(shown(view));
  });
});

// **Feature: swap2-opening-rule, Property 12: Invalid Action Rejection**
// **Validates: Requirements 8.1, 8.2, 8.3**
test('property 12: who is not asked says nothing, and who is asked nothing of another phase', () => {
  holds(fc.tuple(moments, pointOf(24)), ([{ frame }, point]) => {
    const { view } = frame;
    for (const seat of [0, 1]) {
      const [legal, ask] = [legalOf(view, seat), askOf(view, seat)];
      const command = laying(legal, ask, point);
      const phase = step(view)?.phase;
      const active = game.active(view).includes(seat);
      const places = phase === 'swap2_placement' || phase === 'swap2_extra';
      const free = view.board[point.y]?.[point.x] === null;
      const expected = active && free && (places ? 'place_stone' : !phase && 'move');
      expect(command?.type ?? false).toBe(expected);
      if (!active || !phase || places) expect(choices(legal, ask)).toEqual([]);
      expect(laying(legal, null, point)).toBeNull();
      expect(choices(legal, null)).toEqual([]);
    }
    expect(laying(null, null, point)).toBeNull();
  });
});

// **Feature: swap2-opening-rule, Property 13: Active Player Correctness**
// **Validates: Requirements 1.1, 1.2, 1.4, 1.5**
test('property 13: the first player is named while three are laid and at the last choice, the second between', () => {
  holds(moments, ({ opening, frame: { view } }) => {
    const now = step(view);
    if (!now) return;
    const { first, second } = seats(opening.setup);
    const firsts = now.phase === 'swap2_placement' || now.phase === 'swap2_final_choice';
    expect(now.seat).toBe(firsts ? first : second);
    expect(game.active(view)).toEqual([now.seat]);
  });
});

// **Feature: swap2-opening-rule, Property 14: Swap 2 History Completeness**
// **Validates: Requirements 6.4, 7.3**
test('property 14: the list of moves has every stone and every choice, in order, and then the colours', () => {
  const t = translator(game.words);
  const names = ['Anna', 'Boris'];
  holds(openings, ({ frames, said, setup }) => {
    const tell = (sights: Sight[], view: View) => game.describe(sights, { view, before: null, seat: null, names, t });
    const list = frames.flatMap(({ sights, view }) => tell(sights, view));
    expect(list).toHaveLength(said.length + 1);
    said.forEach((command, i) => {
      const name = names[(frames[i] as { view: View }).view.up ?? 0] ?? '';
      expect(list[i]).toContain(name);
      if (command.type === 'place_stone') expect(list[i]).toContain(pointName(command, setup.size));
      if (command.type === 'make_choice') expect(list[i]).toContain(t(`choice.${command.choice}`));
    });
    const whole = frames.at(-1)?.view as View;
    expect(tell(frames.flatMap(({ sights }) => sights), whole)).toEqual(list);
  });
});
