import { kept } from '../../state/prefs.svelte';

export const ROLLS = ['never', 'undoubled', 'always'] as const;
export type Rolls = (typeof ROLLS)[number];

/** What the page does by itself, as this browser keeps it. */
class Habits {
  #roll = $state<Rolls>(kept('backgammon.roll', ROLLS, 'undoubled'));
  #forced = $state(kept('backgammon.forced', ['on', 'off'], 'on') === 'on');

  /** Whether to roll: never, when one may not double, or always. */
  get roll(): Rolls {
    return this.#roll;
  }
  set roll(value: Rolls) {
    this.#roll = value;
    localStorage.setItem('backgammon.roll', value);
  }

  /** Whether to play a turn that can be played in one way only. */
  get forced(): boolean {
    return this.#forced;
  }
  set forced(value: boolean) {
    this.#forced = value;
    localStorage.setItem('backgammon.forced', value ? 'on' : 'off');
  }
}

export const habits = new Habits();
