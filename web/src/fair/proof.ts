/** What a table gives to whoever wants to check its chance: the file of docs/fairness.md. */
export interface Proof {
  dice?: DiceProof | DiceProof[];
  chain?: ChainProof | ChainProof[];
  cards?: HandProof | HandProof[];
}

export interface DiceProof {
  table: string;
  commitment: string;
  secret: string;
  draws: Draw[];
}

export interface Draw {
  n: number;
  /** The number of faces. */
  of: number;
  contributions: string[];
  value: number;
}

export interface ChainProof {
  tip: string;
  released: string[];
}

export interface HandProof {
  table: string;
  hand: number | bigint;
  root: string;
  commitments: string[];
  contributions: string[];
  openings: Opening[];
}

export interface Opening {
  k: number;
  place: number;
  card: number;
  salt: string;
}

export const list = <T>(given: T | T[] | undefined): T[] =>
  given === undefined ? [] : Array.isArray(given) ? given : [given];

/** Whether any seat has put something in. */
export const shared = ({ contributions }: { contributions: string[] }): boolean =>
  contributions.some((link) => /[^0]/.test(link));
