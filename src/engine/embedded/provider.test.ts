import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { cpuMs } from '../../../test/cpu-time.ts';
import {
  type Finding,
  type KnowledgeSearch,
  NO_KNOWLEDGE,
  type Passage,
  type TurnRequest,
  type TurnResult,
} from '../provider.ts';
import { buildKnowledge, splitDocument } from '../../../test/build-knowledge.ts';
import { embeddedProvider } from './provider.ts';
import { TURN_CONTEXT } from '../../../test/turn-context.ts';

/** A knowledge base with exactly one fact. */
const openingHours: KnowledgeSearch = {
  ...NO_KNOWLEDGE,
  answer: async (question) => {
    const finding: Finding = {
      passage: {
        document_id: 'doc_1',
        document: 'Shop',
        section: 'Opening hours',
        heading: 'Opening hours',
        text: 'Sunday to Thursday, 9 to 17.',
      },
      score: 0.9,
    };
    return { findings: /open|hours/i.test(question) ? [finding] : [], offers: [] };
  },
};

const turn = (definition: AgentDefinition, input: string[], more: Partial<TurnRequest> = {}): Promise<TurnResult> =>
  embeddedProvider.turn({
    agent: { id: 'agent_1', name: 'Concierge', definition },
    locale: 'en',
    variables: {},
    end_user: { id: 'enduser_1', name: null, locale: null },
    history: [],
    input,
    state: null,
    knowledge: NO_KNOWLEDGE,
    now: new Date('2026-11-21T10:00:00Z'),
    context: TURN_CONTEXT,
    signal: new AbortController().signal,
    ...more,
  });

const texts = (result: TurnResult): string[] =>
  result.messages.map(({ content }) => ('text' in content ? (content.text ?? '') : ''));

/** A whole conversation: each string is one turn of the person. State goes through JSON, as in the database. */
const talk = async (
  definition: AgentDefinition,
  lines: string[],
  more: Partial<TurnRequest> = {},
): Promise<TurnResult[]> => {
  const results = [await turn(definition, [], more)];
  for (const line of lines) {
    const state: unknown = JSON.parse(JSON.stringify(results.at(-1)!.state));
    results.push(await turn(definition, [line], { ...more, state }));
  }
  return results;
};

const last = (results: TurnResult[]): TurnResult => results.at(-1)!;

describe('opening', () => {
  it('the opening is in the language of the conversation, with its variables', async () => {
    const definition = { opening: { default: 'Order {{order_id}} shipped.', ar: 'تم شحن الطلب {{order_id}}.' } };
    expect(texts(await turn(definition, [], { variables: { order_id: 'A-1043' } }))).toEqual(['Order A-1043 shipped.']);
    expect(texts(await turn(definition, [], { locale: 'ar-QA', variables: { order_id: 'A-1043' } }))).toEqual([
      'تم شحن الطلب A-1043.',
    ]);
    expect(
      texts(await turn(definition, [], { locale: null, end_user: { id: 'e', name: null, locale: 'ar' } }))[0],
    ).toContain('تم شحن');
  });

  it('the default opening contains the names of agent and person', async () => {
    const asha = { id: 'enduser_1', name: 'Asha', locale: null };
    expect(texts(await turn({}, [], { end_user: asha }))).toEqual(['Hello Asha, I am Concierge. How can I help you?']);
    expect(texts(await turn({}, [], { locale: 'hi' }))[0]).toBe('नमस्ते, मैं Concierge हूँ। मैं आपकी क्या मदद कर सकता हूँ?');
    expect(texts(await turn({}, [], { locale: null }))[0]).toMatch(/^Hello, I am Concierge/);
  });

  it('the agent never sends an empty message', async () => {
    expect(texts(await turn({ opening: { default: '{{nothing}}' } }, []))[0]).toMatch(/Concierge/);
  });
});

const booking: AgentDefinition = {
  steps: {
    items: [
      { name: 'full_name', type: 'text', ask: { en: 'Your name?', ar: 'ما اسمك؟' }, min: 2 },
      {
        name: 'room',
        type: 'choice',
        ask: { default: 'Which room?' },
        choices: [
          { id: 'single', label: { en: 'Single room', ar: 'غرفة مفردة' } },
          { id: 'double', label: { en: 'Double room', ar: 'غرفة مزدوجة' } },
        ],
      },
      { name: 'guests', type: 'number', ask: { default: 'How many guests?' }, min: 1, max: 4 },
      { name: 'arrival', type: 'date', ask: { default: 'When do you arrive?' }, min: 0 },
      { name: 'phone', type: 'phone', ask: { default: 'Your phone?' } },
      { name: 'email', type: 'email', ask: { default: 'Your e-mail?' }, optional: true },
      { name: 'breakfast', type: 'yes_no', ask: { default: 'Breakfast?' } },
    ],
    summary: { default: '{{full_name}}: {{room}} for {{guests}} from {{arrival}}, {{phone}}, breakfast {{breakfast}}' },
  },
};

describe('guided steps', () => {
  it('guided steps go from the first question to the summary', async () => {
    const results = await talk(booking, [
      'Asha',
      'double',
      '2',
      '2026-12-01',
      '+974 3000 1234',
      'asha@Example.QA',
      'yes',
    ]);
    expect(results.map((result) => texts(result)[0])).toEqual([
      'Your name?',
      'Which room?',
      'How many guests?',
      'When do you arrive?',
      'Your phone?',
      'Your e-mail?',
      'Breakfast?',
      'Asha: Double room for 2 from 2026-12-01, +97430001234, breakfast Yes',
    ]);
    expect(last(results).next).toBe('completed');
    expect(last(results).trace.steps.at(-1)).toMatchObject({
      kind: 'summary',
      slots: { room: 'double', guests: 2, email: 'asha@example.qa', breakfast: true },
    });
  });

  it('a choice step offers its choices', async () => {
    const [, question] = await talk(booking, ['Asha']);
    expect(question!.messages[0]!.content).toMatchObject({
      type: 'choices',
      choices: [
        { id: 'single', label: 'Single room' },
        { id: 'double', label: 'Double room' },
      ],
    });
  });

  it('steps accept Arabic, its digits and its words, in an Arabic conversation', async () => {
    const lines = ['عائشة', 'مزدوجة', '٢', '١ ديسمبر', '٣٠٠٠١٢٣٤', 'تخطي', 'نعم'];
    const result = last(await talk(booking, lines, { locale: 'ar-QA' }));
    expect(texts(result)[0]).toBe('عائشة: غرفة مزدوجة for 2 from 2026-12-01, +97430001234, breakfast نعم');
  });

  it('steps accept Hindi, its digits and its words', async () => {
    const lines = ['आशा', 'single', '४', '५ दिसंबर', '+९१ ९८७६५ ४३२१०', 'छोड़ें', 'जी हाँ'];
    const result = last(await talk(booking, lines, { locale: 'hi' }));
    expect(texts(result)[0]).toBe('आशा: Single room for 4 from 2026-12-05, +919876543210, breakfast हाँ');
  });

  it.each([
    ['Your name?', [], 'A', /at least 2 characters/],
    ['Which room?', ['Asha'], 'suite', /Single room, Double room/],
    ['How many guests?', ['Asha', '1'], 'many', /number/],
    ['How many guests?', ['Asha', '1'], '٩', /at most 4/],
    ['When do you arrive?', ['Asha', '1', '1'], '31 February', /date/],
    ['When do you arrive?', ['Asha', '1', '1'], '2026-11-20', /earliest possible date is 2026-11-21/],
    ['Your phone?', ['Asha', '1', '1', 'tomorrow'], '12', /phone number/],
  ])(
    'the question "%s" is asked again after %j if the answer is "%s", with the reason',
    async (question, before, answer, why) => {
      const result = last(await talk(booking, [...before, answer]));
      expect(texts(result)[0]).toMatch(why);
      expect(texts(result)[0]).toContain(question);
      expect(result.next).toBe('waiting_for_user');
    },
  );

  it('only an optional step can be skipped', async () => {
    const result = last(await talk(booking, ['Asha', 'skip']));
    expect(texts(result)[0]).toMatch(/I need this answer/);
  });

  it('a question between two steps is answered, and then the step is asked again', async () => {
    const result = last(await talk(booking, ['Asha', 'When are you open?'], { knowledge: openingHours }));
    expect(texts(result)[0]).toContain('Sunday to Thursday');
    expect(texts(result)[1]).toBe('Which room?');
  });

  it.each([
    ['asked', {}, 'human please'],
    ['rule', { rules: [{ name: 'angry', words: ['lawyer'], action: 'hand_off' }] }, 'my lawyer will call'],
    ['not_understood', { hand_off: { after_misses: 1 } }, 'zebra zeppelin'],
  ] as [string, AgentDefinition, string][])(
    'the agent notes the reason of the hand-off: %s',
    async (reason, definition, text) => {
      const { next, trace } = await turn(definition, [text]);
      expect(next).toBe('handed_off');
      expect(trace.steps.findLast(({ kind }) => kind === 'hand_off')).toMatchObject({ reason });
    },
  );

  it('steps hand over after too many answers that were not understood', async () => {
    const results = await talk({ ...booking, hand_off: { after_misses: 2 } }, ['Asha', 'penthouse', 'castle']);
    expect(last(results).next).toBe('handed_off');
  });

  it('steps begin after the first message if the person writes first', async () => {
    const result = await turn(booking, ['I want to book']);
    expect(texts(result)).toEqual(['Your name?']);
  });

  it('steps wait for their rule if a rule starts them', async () => {
    const definition: AgentDefinition = {
      opening: { default: 'Hi' },
      steps: { ...booking.steps!, start: 'by_rule' },
      rules: [{ name: 'book', words: ['book a room'], action: 'start_steps', reply: { default: 'Gladly.' } }],
    };
    const results = await talk(definition, ['please book a room']);
    expect(results.map(texts)).toEqual([['Hi'], ['Gladly.', 'Your name?']]);
  });

  it('the answers are listed if there is no summary text', async () => {
    const definition: AgentDefinition = { steps: { items: [{ name: 'city', type: 'text', ask: { en: 'City?' } }] } };
    expect(texts(last(await talk(definition, ['Doha'])))[0]).toBe('Thank you. This is what I noted:\ncity: Doha');
  });
});

describe('rules', () => {
  const definition: AgentDefinition = {
    rules: [
      { name: 'refund', words: ['refund', 'استرجاع'], reply: { default: 'Refunds take 5 days.' }, tag: 'refund' },
      { name: 'order', pattern: '\\border\\s+#?\\d{4}\\b', reply: { default: 'I look it up.' } },
      { name: 'angry', words: ['lawyer'], action: 'hand_off', reply: { default: 'One moment.' } },
      { name: 'leave', words: ['forget me'], action: 'opt_out' },
      { name: 'done', words: ['that is all'], action: 'complete' },
    ],
  };

  it('rules reply and tag if their words occur in the message, in any form', async () => {
    for (const text of ['I want a REFUND!', 'are refunds possible', 'أريد الاسترجاع', 'بِالاسْتِرجاع']) {
      expect(await turn(definition, [text])).toMatchObject({ tags: ['refund'], next: 'waiting_for_user' });
    }
    expect((await turn(definition, ['refundable bonds'])).tags).toEqual([]);
  });

  it('rules match by pattern, in any digits', async () => {
    expect(texts(await turn(definition, ['where is Order #1043']))).toEqual(['I look it up.']);
    expect(texts(await turn(definition, ['order ١٠٤٣']))).toEqual(['I look it up.']);
    expect(texts(await turn(definition, ['order 10']))).not.toEqual(['I look it up.']);
  });

  it('rules can hand over, opt out and complete', async () => {
    expect(await turn(definition, ['my lawyer will call'])).toMatchObject({ next: 'handed_off' });
    expect(await turn(definition, ['forget me'])).toMatchObject({ opted_out: true });
    expect(await turn(definition, ['That is all'])).toMatchObject({ next: 'completed' });
  });

  it('the matching rule is recorded in the trace', async () => {
    expect((await turn(definition, ['refund'])).trace.steps).toContainEqual(
      expect.objectContaining({ kind: 'rule', rule: 'refund' }),
    );
  });

  it('rules answer within milliseconds for any pattern', () => {
    const traps = Array.from({ length: 200 }, (_, index) => ({ name: `r${index}`, pattern: '(a?a?){40}b' }));
    // Without the budget this takes many seconds; with it, about 5 ms.
    expect(cpuMs(() => void turn({ rules: traps }, ['a'.repeat(30_000)]))).toBeLessThan(1_000);
  });
});

describe('stop words', () => {
  it.each([
    'STOP',
    'stop.',
    'Unsubscribe',
    'please stop',
    'Stop sending me messages',
    "don't text me again",
    'إيقاف',
    'توقف',
    'الغاء الاشتراك',
    'أوقفوا الرسائل',
    'रोकें',
    'बंद करो',
    'बंद करें',
    'रुकें',
  ])('the stop word "%s" opts the person out, and is confirmed', async (text) => {
    const result = await turn(booking, [text], { state: { step: 0 } });
    expect(result).toMatchObject({ opted_out: true, next: 'completed' });
    expect(texts(result)).toHaveLength(1);
  });

  it.each(['Where is the bus stop?', 'stop by tomorrow', 'Can I stop my order?', 'هل توقف التوصيل؟'])(
    'the text "%s" is not a stop word',
    async (text) => {
      expect((await turn({}, [text])).opted_out).toBe(false);
    },
  );

  it('stop words take effect even if much text follows them', async () => {
    expect((await turn({}, ['STOP', ...Array.from({ length: 30 }, () => 'Hello?')])).opted_out).toBe(true);
  });

  it('the confirmation is in the language of the person and promises no further answers', async () => {
    expect(texts(await turn({}, ['STOP']))).toEqual(['You will not receive any more messages from us.']);
    expect(texts(await turn({}, ['توقف']))[0]).toMatch(/لن تصلك رسائل/);
    expect(texts(await turn({}, ['रोकें']))[0]).toMatch(/संदेश नहीं मिलेंगे/);
  });
});

describe('asking for a human', () => {
  it.each([
    'agent',
    'I want to talk to a human',
    'agent please',
    'Plain request. agent please',
    'My parcel arrived damaged, please connect me with a colleague',
    'An agent, please',
    'a real person please',
    'person please',
    'hi, agent plz',
    'مرحبا، موظف لو سمحت',
    'वास्तविक व्यक्ति',
    'can I speak with someone please',
    'connect me to customer support',
    'أريد التحدث مع موظف',
    'حولني لموظف',
    'ممكن اكلم خدمة العملاء',
    'मुझे इंसान से बात करनी है',
    'किसी से बात कराइए',
  ])('the text "%s" causes a hand-off', async (text) => {
    expect((await turn({}, [text])).next).toBe('handed_off');
  });

  it('the hand-off to a human can be switched off', async () => {
    expect((await turn({ hand_off: { on_request: false } }, ['agent'])).next).toBe('waiting_for_user');
  });

  it('a hand-off sends the text that the author wrote', async () => {
    expect(texts(await turn({ hand_off: { text: { default: 'Ms Amal takes over.' } } }, ['human please']))).toEqual([
      'Ms Amal takes over.',
    ]);
  });
});

describe('knowledge', () => {
  it('the agent answers with a quote and its source', async () => {
    const result = await turn({}, ['When do you open?'], { knowledge: openingHours });
    expect(result.messages).toEqual([
      {
        content: { type: 'text', text: 'Opening hours:\nSunday to Thursday, 9 to 17.' },
        sources: [{ document: 'Shop', quote: 'Sunday to Thursday, 9 to 17.' }],
      },
    ]);
    expect(result.trace.steps[0]).toMatchObject({ kind: 'knowledge', passages: [{ document: 'Shop', score: 0.9 }] });
  });

  it('the agent admits that it has no answer, and names no sources', async () => {
    const result = await turn({}, ['Do you sell boats?'], { knowledge: openingHours });
    expect(result.messages).toHaveLength(1);
    expect(result.messages[0]!.sources).toEqual([]);
    expect(texts(result)[0]).toMatch(/do not know/);
    expect(texts(await turn({ dont_know: { default: 'No idea.' } }, ['Do you sell boats?']))).toEqual(['No idea.']);
  });

  it('the parts of a question in several messages are searched together', async () => {
    const inPieces: KnowledgeSearch = {
      ...NO_KNOWLEDGE,
      answer: (question) => (/when/.test(question) ? openingHours : NO_KNOWLEDGE).answer(question),
    };
    expect(texts(await turn({}, ['hi', 'when', 'do you open'], { knowledge: inPieces }))[0]).toMatch(/9 to 17/);
  });

  it('the agent hands over after several unanswered questions in a row', async () => {
    const definition = { hand_off: { after_misses: 2 } };
    const results = await talk(definition, ['Boats?', 'When do you open?', 'Boats?', 'Ships?'], {
      knowledge: openingHours,
    });
    expect(results.map(({ next }) => next)).toEqual([
      ...Array.from({ length: 4 }, () => 'waiting_for_user'),
      'handed_off',
    ]);
  });
});

describe('knowledge of real documents', () => {
  const text =
    '# Shop\n\n## Payment\n\nWe accept:\n\n- Visa\n- cash\n\n## Kettle 300\n\nIt costs QAR 149.\n\n## Kettle 500\n\nIt costs QAR 229.';
  const built = buildKnowledge(splitDocument({ id: 'doc_1', name: 'Shop', text }));
  const knowledge: KnowledgeSearch = { ...NO_KNOWLEDGE, answer: async (question) => built.answer(question) };

  it('an answer from a list contains all items, each with its source', async () => {
    const [message] = (await turn({}, ['How can I pay?'], { knowledge })).messages;
    expect(message).toEqual({
      content: { type: 'text', text: 'We accept:\n• Visa\n• cash' },
      sources: [
        { document: 'Shop', quote: 'Visa' },
        { document: 'Shop', quote: 'cash' },
      ],
    });
  });

  it('an answer contains only the product variant that the question names', async () => {
    const result = await turn({}, ['How much is the Kettle 500?'], { knowledge });
    expect(result.messages[0]!.sources).toEqual([{ document: 'Shop', quote: 'It costs QAR 229.' }]);
    expect((await turn({}, ['Does the Kettle 500 have a warranty?'], { knowledge })).messages[0]!.sources).toEqual([]);
  });
});

describe('what may answer', () => {
  const text = [
    '# Bikes',
    '## Late return',
    'Each hour that has begun costs 8 euros.',
    '## Helmets',
    'Helmets and locks are included with every hired bike.',
    '## Opening',
    'The workshop opens at nine.',
  ].join('\n\n');
  const built = buildKnowledge(splitDocument({ id: 'doc_1', name: 'Shop', text }));
  const knowledge: KnowledgeSearch = { ...NO_KNOWLEDGE, answer: async (question) => built.answer(question) };
  const between: Passage[] = splitDocument({ id: 'doc_1', name: 'Shop', text });
  const two: KnowledgeSearch = {
    ...NO_KNOWLEDGE,
    answer: async (question) =>
      question.includes('borrow')
        ? {
            findings: [],
            offers: between.slice(0, 2).map((one) => ({ label: one.section!.slice(8), passages: [one], nearest: one })),
          }
        : built.answer(question),
  };

  const choicesOf = ({ messages }: TurnResult) => {
    const { content } = messages[0]!;
    return content.type === 'choices' ? content.choices.map(({ label }) => label) : null;
  };
  const stored = ({ state }: TurnResult): unknown => JSON.parse(JSON.stringify(state));

  it('the agent asks back about a passage that is only similar, and never answers with it', async () => {
    const [, helmets] = between;
    const answer = async () => ({
      findings: [],
      offers: [{ label: 'Helmets', passages: [helmets!], nearest: helmets! }],
    });
    const result = await turn({}, ['My head is cold.'], { knowledge: { ...NO_KNOWLEDGE, answer } });
    expect(choicesOf(result)).toEqual(['Helmets', 'Something else']);
    expect(result.messages[0]!.sources).toEqual([]);
  });

  it('the agent asks back with the names of sections, and sends the section that the person chooses', async () => {
    const asked = await turn({}, ['What if I borrow one longer?'], { knowledge: two });
    expect(choicesOf(asked)).toEqual(['Late return', 'Helmets', 'Something else']);
    const choose = async (word: string): Promise<TurnResult> =>
      turn({}, [word], { knowledge: two, state: stored(asked) });
    for (const word of ['1', ' #1. ', '١', 'late return']) {
      const answer = await choose(word);
      expect(texts(answer)).toEqual(['Late return:\nEach hour that has begun costs 8 euros.']);
      expect(answer.messages[0]!.sources).toEqual([
        { document: 'Shop', quote: 'Each hour that has begun costs 8 euros.' },
      ]);
    }
    expect(texts(await choose('When does the workshop open?'))[0]).toContain('at nine');
    expect(texts(await choose('7'))[0]).not.toContain('8 euros');
  });

  it('an offer of sections is valid for one turn', async () => {
    const results = await talk({}, ['What if I borrow one longer?', 'thanks', '1'], { knowledge: two });
    expect(texts(last(results))[0]).not.toContain('8 euros');
  });

  it('the agent does not ask back twice in a row', async () => {
    const results = await talk({}, ['Can I borrow one?', 'Can I borrow two?', 'Can I borrow three?'], {
      knowledge: two,
    });
    expect(results.slice(1).map(choicesOf)).toEqual([
      expect.arrayContaining(['Late return']),
      null,
      expect.arrayContaining(['Late return']),
    ]);
    expect(texts(results[2]!)[0]).toMatch(/do not know/);
  });

  it('a question after which the agent asked back is listed once, but does not count as unanswered', async () => {
    const asked = await turn({}, ['What if I borrow one longer?'], { knowledge: two });
    const missed = ({ trace }: TurnResult) => trace.steps.filter(({ kind }) => kind === 'miss');
    expect(missed(asked)).toMatchObject([{ misses: 0, question: 'What if I borrow one longer?' }]);
    for (const word of ['Something else', '3']) {
      const declined = await turn({}, [word], { knowledge: two, state: stored(asked) });
      expect(missed(declined)).toEqual([]);
      expect(texts(declined)[0]).toMatch(/do not know/);
    }
  });

  it('a choice of "something else" causes the configured hand-off', async () => {
    const results = await talk({ hand_off: { after_misses: 1 } }, ['What if I borrow one longer?', 'something else'], {
      knowledge: two,
    });
    expect(results.map(({ next }) => next).slice(1)).toEqual(['waiting_for_user', 'handed_off']);
  });

  it('the agent asks back in the language of the person', async () => {
    expect(choicesOf(await turn({}, ['أين borrow هذا؟'], { knowledge: two }))?.at(-1)).toBe('شيء آخر');
    expect(choicesOf(await turn({}, ['क्या borrow होगा?'], { knowledge: two }))?.at(-1)).toBe('कुछ और');
  });

  it('asking back does not change the count of unanswered questions', async () => {
    const results = await talk(
      { hand_off: { after_misses: 2 } },
      ['Boats?', 'What if I borrow one longer?', 'Boats?'],
      {
        knowledge: two,
      },
    );
    expect(results.map(({ next }) => next)).toEqual([
      ...Array.from({ length: 3 }, () => 'waiting_for_user'),
      'handed_off',
    ]);
  });

  it('the agent offers no section if no document has the topic', async () => {
    expect(texts(await turn({}, ['Is there a warranty on helmets?'], { knowledge }))[0]).toMatch(/do not know/);
  });
});

describe('small talk', () => {
  it.each([
    'Hello',
    'hi there!',
    'السلام عليكم',
    'صباح الخير',
    'नमस्ते',
    'Thanks a lot',
    'شكرا جزيلا',
    'धन्यवाद',
    'bye',
    'ok',
  ])('the agent answers "%s" politely, and counts no unanswered question', async (text) => {
    const result = await turn({ hand_off: { after_misses: 1 } }, [text]);
    expect(result.next).toBe('waiting_for_user');
    expect(texts(result)).toHaveLength(1);
    expect(texts(result)[0]).not.toMatch(/do not know/);
  });

  it.each(['[image]', '[file: opening hours.pdf]'])(
    'the agent explains that it cannot open %s, and counts no unanswered question',
    async (text) => {
      const result = await turn({ hand_off: { after_misses: 1 } }, [text]);
      expect([result.next, texts(result)]).toEqual([
        'waiting_for_user',
        [expect.stringContaining('cannot open pictures')],
      ]);
    },
  );

  it('the agent opens the conversation when a person presses Start, the first message of each Telegram chat', async () => {
    const definition = {
      opening: { default: 'Welcome!' },
      steps: { items: [{ name: 'n', type: 'text' as const, ask: { default: 'Your name?' } }] },
    };
    expect(texts(await turn({ opening: { default: 'Welcome!' } }, ['/start']))).toEqual(['Welcome!']);
    expect(texts(await turn({}, ['/start ref_42']))).toEqual(['Hello, I am Concierge. How can I help you?']);
    const first = await turn(definition, ['/start']);
    expect(texts(first)).toEqual(['Welcome!', 'Your name?']);
    // Pressed a second time it is not read as a name.
    expect(texts(await turn(definition, ['/start'], { state: first.state }))).toEqual(['Welcome!', 'Your name?']);
    expect(texts(await turn(definition, ['/start', 'When do you open?'], { knowledge: openingHours }))[0]).toContain(
      '9 to 17',
    );
    expect((await turn({}, ['/startle'])).state).toMatchObject({ misses: 1 });
  });

  it('the first greeting is answered with the opening', async () => {
    expect(texts(await turn({ opening: { default: 'Welcome to the shop.' } }, ['Hi']))).toEqual([
      'Welcome to the shop.',
    ]);
  });
});

describe('language', () => {
  it('the language changes when the person writes in another script, and stays afterwards', async () => {
    const results = await talk({}, ['هل لديكم قوارب؟', '12345'], { locale: 'en' });
    expect(texts(results[1]!)[0]).toMatch(/عذرًا/);
    expect(texts(results[2]!)[0]).toMatch(/عذرًا/);
  });

  it.each([
    ['bike bhejni hai kal', 'hi'],
    ['yeh kitne ka hai?', 'hi'],
    ['kam se3r el shahn?', 'ar'],
    ['wain ma7alkum', 'ar'],
  ])('the language of "%s" is %s, and the agent answers in its script', async (text, language) => {
    const { messages, state } = await turn({}, [text]);
    expect(state).toMatchObject({ language });
    const [reply] = messages.flatMap(({ content }) => ('text' in content ? [content.text] : []));
    expect(reply).toMatch(language === 'hi' ? /[\u0900-\u097f]/ : /[\u0600-\u06ff]/);
  });

  it.each(['What is the late fee?', 'mp3 player', 'Can I bring a dog to the pool?', 'me to', 'free rooms'])(
    'the language of "%s" is English',
    async (text) => {
      expect((await turn({}, [text])).state).not.toMatchObject({ language: expect.stringMatching(/hi|ar/) });
    },
  );

  it('a name, an address or a number in another script does not change the language', async () => {
    const results = await talk(booking, ['Asha', '1', '2', 'غدا', '+97430001234', 'asha@example.qa'], { locale: 'ar' });
    expect(texts((await talk({}, ['iPhone'], { locale: 'ar' }))[1]!)[0]).toMatch(/عذرًا/);
    expect(last(results).state).toMatchObject({ language: null });
  });
});

describe('state', () => {
  it('a damaged or foreign state starts a new conversation instead of failing', async () => {
    for (const state of ['x', 7, [], { step: -1 }, { step: 'x', slots: 3 }, { step: 99 }, { slots: { a: {} } }]) {
      expect((await turn(booking, ['hello'], { state })).next).toBe('waiting_for_user');
    }
  });

  it('the same request results in the same turn', async () => {
    const once = await talk(booking, ['Asha', '1', '9']);
    expect(await talk(booking, ['Asha', '1', '9'])).toEqual(once);
  });
});
