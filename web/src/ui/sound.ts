import { prefs } from '../state/prefs.svelte';

/** Quiet tones: frequencies in hertz, one after the other. */
const TONES = {
  move: [[330, 0.06]],
  turn: [[523, 0.08], [659, 0.12]],
  chat: [[880, 0.05]],
  end: [[523, 0.12], [659, 0.12], [784, 0.24]],
} as const;

let context: AudioContext | null = null;

/** Plays a sound, if sounds are wanted and the browser allows them. */
export function sound(name: keyof typeof TONES): void {
  if (!prefs.sound || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  let at = context.currentTime;
  for (const [frequency, length] of TONES[name]) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.type = 'triangle';
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.08, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + length);
    at += length;
  }
}
