const KEY = 'poker.deck';

let four = $state(localStorage.getItem(KEY) === 'four');

/** Whether every suit has a colour of its own; kept by this browser. */
export const deck = {
  get four(): boolean {
    return four;
  },
  set four(value: boolean) {
    four = value;
    localStorage.setItem(KEY, value ? 'four' : 'two');
  },
};
