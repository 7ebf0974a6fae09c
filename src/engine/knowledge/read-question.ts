import { foldText } from './fold-text.ts';
import { isEmptyWord, isWeakWord, joinedAt, phraseAt, type Term, termsOf } from './analyze-text.ts';

/**
 * Converts a question to a list of demands. A passage meets a demand in one of several ways, each with a weight: by the
 * word, by the topic of the word, or by the kind of fact that is asked for ("how much" asks for an amount).
 */
export type Demand = {
  label: string;
  ways: Map<string, number>;
  /**
   * A `must` decides whether a passage answers, a `may` only affects the rank, and a `kind` is the kind of fact that is
   * asked for.
   */
  force: 'must' | 'may' | 'kind';
  /** True for a word such as a model number: a passage without the word is about another thing. */
  decisive: boolean;
  term: Term | null;
  /** The position in the question. Kinds of fact have no position. */
  at: number | null;
  /** True for a word without a specific meaning. */
  general: boolean;
  /** The words of the documents that replace an unknown word of the question. */
  intended?: readonly string[];
  /**
   * For "how many", the question demands the counted things. In the passage, the number must be near the counted
   * things.
   */
  counts?: Demand;
};

export const readQuestion = (question: string): Demand[] => {
  const terms = termsOf(question);
  const demands: Demand[] = [];
  for (let at = 0; at < terms.length;) {
    const phrase = phraseAt(terms, at);
    const term = phrase ?? terms[at]!;
    const joined = joinedAt(terms, at);
    if (phrase === null && joined !== null) {
      demands.push({ ...modelDemand(joined, terms[at]!, terms[at + 1]!), at });
      at += 2;
      continue;
    }
    at += term.span;
    if (phrase === null && isEmptyWord(term)) continue;
    demands.push({ ...demandOf(term, terms[at], terms[at - 2]), at: at - term.span });
  }
  for (const demand of demands) {
    const beside = demand.term?.means.map((concept) => UNDERSTOOD[concept]).find((concept) => concept !== undefined);
    if (beside !== undefined && demands.some((other) => other.ways.has(`c:${beside}`))) demand.force = 'may';
  }
  // In "Can I return a phone?", the phone is a thing, and the question does not ask for a number.
  const topics = demands.filter(({ force, term }) => force === 'must' && term !== null && term.means.length > 0);
  for (const demand of topics) {
    if (demand.term!.means.includes('phone') && topics.length > 1 && !/number|رقم|नंबर/.test(question))
      demand.decisive = false;
  }
  // If the question has only general words, the general words with a meaning become required.
  if (!demands.some((demand) => demand.force === 'must')) {
    for (const demand of demands) if (!demand.general) demand.force = 'must';
  }
  const asked = ` ${foldText(question).replace(/[^\p{L}\p{M}\p{N}']+/gu, ' ')} `;
  for (const kind of wantedKinds(asked)) addKind(demands, kind, asked);
  return demands;
};

/** Each way to name a thing has a weight, relative to the word of the question. */
export const WORTH = {
  stem: 1,
  otherStem: 0.97,
  matter: 0.9,
  kind: 0.8,
  skeleton: 0.8,
  typo: 0.8,
  oneOfSeveral: 0.45,
  fact: 0.92,
} as const;

const demandOf = (term: Term, next: Term | undefined, before: Term | undefined): Demand => {
  const ways = new Map<string, number>();
  addTermWays(ways, term, 1);
  const number = /^\d/.test(term.word);
  // The texts "Fibre 500" and "the 500" name a thing, but "she is 8" and "8 years" do not.
  const names = before !== undefined && (!isEmptyWord(before) || before.word === 'the');
  const counted = number && (!names || (next !== undefined && COUNTED.test(next.word)));
  const hasMatter = term.means.length > 0 || term.kindOf.length > 0;
  const weak =
    counted ||
    (isWeakWord(term) && term.span === 1) ||
    (term.means.length > 0 && term.means.every((one) => SOFT.has(one)));
  const stated = term.means.some((concept) => FACTS[concept] !== undefined);
  return {
    label: term.word,
    ways,
    force: weak ? 'may' : 'must',
    decisive: !weak && ((number && !counted) || stated),
    term,
    at: null,
    general: weak && !hasMatter,
  };
};

/** Adds all ways in which a passage may express a term. */
export const addTermWays = (ways: Map<string, number>, term: Term, share: number): void => {
  const add = (key: string, worth: number): void => {
    ways.set(key, Math.max(ways.get(key) ?? 0, worth * share));
  };
  add(`s:${term.stem}`, WORTH.stem);
  if (term.otherStem !== null) add(`s:${term.otherStem}`, WORTH.otherStem);
  if (term.skeleton !== null && term.means.length === 0) add(`k:${term.skeleton}`, WORTH.skeleton);
  for (const concept of term.means) {
    add(`c:${concept}`, WORTH.matter);
    add(`n:${concept}`, WORTH.kind);
    for (const fact of FACTS[concept] ?? []) add(`f:${fact}`, WORTH.fact);
  }
  for (const concept of term.under) add(`t:${concept}`, WORTH.kind);
};

/** The kinds of fact that state a topic without naming it. For example, "QAR 149" states a price. */
const FACTS: Record<string, readonly string[]> = {
  price: ['money'],
  phone: ['phone'],
  contact: ['phone', 'email'],
  email: ['email'],
  website: ['url'],
  location: ['place'],
  duration: ['duration'],
  hours: ['time'],
  size: ['measure'],
  weight: ['measure'],
  speed: ['measure'],
  discount: ['percent'],
  interest: ['percent'],
  deadline: ['time'],
};

/** Topics that passages often do not mention explicitly. A passage without such a topic may still answer. */
const SOFT = new Set([
  'late',
  'early',
  'material',
  'include',
  'ban',
  'extra',
  'start',
  'finish',
  'order',
  'bring',
  'requirements',
  'general',
  'used',
  'money',
  'party_size',
]);

/** Topics that another topic implies. For example, a person who asks about parking has a car. */
const UNDERSTOOD: Record<string, string> = { car: 'parking', book: 'appointment', doctor: 'paediatric' };

const COUNTED =
  /^(?:years?|yrs?|yo|months?|weeks?|days?|nights?|hours?|minutes?|mins?|people|persons?|guests?|adults?|kids?|children|kg|kilos?|km|am|pm|qar|riyals?|rupees?|times?|سنه|سنوات|شهر|اشهر|يوما?|ايام|ساعه|ساعات|دقيقه|شخصا?|اشخاص|ريالا?|كيلو|साल|वर्ष|महीने|दिन|घंटे|घंटा|मिनट|लोग|लोगों|रुपये|रुपए|बजे|किलो)$/;

const modelDemand = (joined: string, first: Term, second: Term): Demand => ({
  label: joined,
  ways: new Map([
    [`s:${joined}`, 1],
    [`j:${first.stem} ${second.stem}`, 1],
  ]),
  force: 'must',
  decisive: true,
  term: null,
  at: null,
  general: false,
});

type Kind = { name: string; ways: readonly (readonly [string, number])[]; unless?: readonly string[] };

const KINDS: readonly (Kind & { asked: RegExp })[] = [
  {
    name: 'duration',
    asked:
      / (?:how long|how soon|how many (?:\w+ )?(?:days?|hours?|weeks?|months?|years?)|كم (?:من الوقت|مده|المده|يوما?|ساعه|شهرا?|سنه|دقيقه|اسبوعا?|يستغرق|تستغرق|ياخذ|تاخذ|وقت)|कितने (?:दिन|दिनों|घंटे|घंटों|महीने|महीनों|साल|सालों|हफ्ते|मिनट)|कितना (?:समय|टाइम|वक्त)|कितनी देर) /,
    ways: [
      ['f:duration', 1],
      ['f:time', 0.75],
    ],
    unless: ['duration'],
  },
  {
    name: 'time',
    asked:
      / (?:when|what time|at what time|which days?|what days?|until when|till when|what date|متي|اي (?:يوم|وقت|ساعه|ايام)|الساعه كم|कब|कब तक|कितने बजे|किस (?:दिन|समय|तारीख)|किन दिनों|कौन से दिन) /,
    ways: [
      ['f:time', 1],
      ['f:duration', 0.95],
      ['f:condition', 0.7],
    ],
  },
  {
    name: 'place',
    asked: / (?:where|which floor|what floor|اين|وين|فين|कहां|कहा|किधर|किस मंजिल) /,
    ways: [
      ['f:place', 1],
      ['c:location', 0.85],
    ],
    unless: ['location'],
  },
  {
    name: 'money',
    asked:
      / (?:how much (?:is|are|s|does|do|for|to|it|would|will|did|extra)|how expensive|بكم|كم (?:سعر|ثمن|يكلف|تكلف|تكلفه|رسوم|قيمه)|कितने (?:का|की|के|रुपये|रुपए|में)) /,
    ways: [
      ['f:money', 1],
      ['c:price', 0.85],
    ],
    unless: ['price', 'capacity', 'weight', 'size', 'speed', 'discount', 'interest', 'salary'],
  },
  {
    name: 'number',
    asked: / (?:how much|how many|how old|how fast|how big|how far|what percentage|كم|कितना|कितने|कितनी) /,
    ways: [
      ['f:money', 0.95],
      ['f:number', 1],
    ],
    unless: ['price', 'location', 'duration', 'time', 'money'],
  },
];

const wantedKinds = (asked: string): Kind[] => KINDS.filter((kind) => kind.asked.test(asked));

/** Matches the counted word in "how many students", "كم عدد الطلاب" and "कितने छात्र". */
const COUNTS = / (?:how many|كم عدد|कितने) ([\p{L}\p{M}]{3,})/u;

const addKind = (demands: Demand[], kind: Kind, asked: string): void => {
  const isNamed = (name: string): boolean =>
    demands.some((demand) => demand.label === `#${name}` || (demand.force === 'must' && demand.ways.has(`c:${name}`)));
  if ((kind.unless ?? []).some(isNamed)) return;
  const counted = kind.name === 'number' ? COUNTS.exec(asked)?.[1] : undefined;
  const things = counted === undefined ? undefined : demands.find((demand) => demand.label.startsWith(counted));
  demands.push({
    label: `#${kind.name}`,
    ways: new Map(kind.ways),
    force: 'kind',
    decisive: false,
    term: null,
    at: null,
    general: false,
    ...(things === undefined ? {} : { counts: things }),
  });
};
