import type { TraceStep } from '../../../contract/dashboard/agents.ts';
import { sayIn, defineTexts } from '../language/texts.tsx';
import type { Language } from '../preferences.ts';

/**
 * Texts about the findings of the steps of an answer. A trace has English sentences and codes, because runs in the API
 * have them too.
 */
const texts = defineTexts(
  {
    found: { one: '{count} passage', other: '{count} passages' },
    whole: { one: 'All documents: {count} passage', other: 'All documents: {count} passages' },
    passages_none: 'No passage answers this.',
    passages_some: 'Passages were found.',
    miss_first: 'The first unanswered question in this conversation.',
    miss_more: { one: '{count} unanswered question in a row.', other: '{count} unanswered questions in a row.' },
    miss_chosen: 'Unanswered until the person chooses a section.',
    miss_sources: 'A question was answered without a source.',
    dont_know: 'No model gave an answer, so the agent says that it does not know.',
    as_written: 'Sent as it is written.',
    own_opening: 'The opening message of the agent.',
    built_in_opening: 'The built-in opening message.',
    campaign_opening: 'The opening message of the campaign.',
    asked: 'The person asked for a person.',
    model_stop: '{model}, whole answer',
    model_length: '{model}, cut at the longest answer',
    model_tools: '{model}, with calls of tools',
    model_filter: '{model}, stopped by the filter of the provider',
    too_large: 'There are too many documents for it. Parley searched by words.',
    incomplete: 'Some documents are not prepared yet. Parley searched by words.',
    not_available: 'The model of embeddings did not answer ({code}). Parley searched by words.',
    writes_in: 'The person writes in {code}.',
    stopped: 'The person asked to stop.',
    patterns: 'The rules took too long, so not all of them were tried.',
    steps_begin: 'The agent asks the first question.',
    steps_end: 'All questions are answered.',
    uncertain: 'The agent is not certain, so it asks which section is meant.',
    chosen: 'The person chose a section.',
    chose_none: 'The person chose none of the sections.',
    not_understood: '{count} answers in a row were not understood.',
    rule_fits: 'The rule “{name}” fits.',
    rule_hands_over: 'The rule “{name}” hands over.',
    rule_opts_out: 'The rule “{name}” opts out.',
    slot_answered: '“{name}” was answered.',
    slot_skipped: '“{name}” was skipped.',
    slot_skip: '“{name}” is required, and the person wanted to skip it.',
    slot_small: '“{name}”: the number is too small.',
    slot_large: '“{name}”: the number is too large.',
    slot_short: '“{name}”: the answer is too short.',
    slot_long: '“{name}”: the answer is too long.',
    slot_early: '“{name}”: the date is too early.',
    slot_late: '“{name}”: the date is too late.',
    slot_empty: '“{name}”: the answer is empty.',
    slot_form: '“{name}”: the answer has another form than the question asks for.',
    talk_greeting: 'A greeting',
    talk_thanks: 'Thanks',
    talk_farewell: 'A farewell',
    talk_acknowledged: 'A short confirmation',
    talk_file_received: 'A file without a question',
    images: { one: '{count} image', other: '{count} images' },
    failed_unreachable: '{model} could not be reached.',
    failed_refused: '{model} refused the request.',
    failed_rate_limited: '{model} had too many requests.',
    failed_garbled: 'The answer of {model} could not be read.',
    failed_timeout: '{model} took too long.',
    failed_budget: 'The budget for {model} is used up.',
  },
  {
    found: {
      zero: 'لا مقاطع',
      one: 'مقطع واحد',
      two: 'مقطعان',
      few: '{count} مقاطع',
      many: '{count} مقطعًا',
      other: '{count} مقطع',
    },
    whole: {
      zero: 'كل المستندات: لا مقاطع',
      one: 'كل المستندات: مقطع واحد',
      two: 'كل المستندات: مقطعان',
      few: 'كل المستندات: {count} مقاطع',
      many: 'كل المستندات: {count} مقطعًا',
      other: 'كل المستندات: {count} مقطع',
    },
    passages_none: 'لا مقطع يجيب عن هذا.',
    passages_some: 'وُجدت مقاطع.',
    miss_first: 'أول سؤال بلا إجابة في هذه المحادثة.',
    miss_more: {
      zero: 'لا أسئلة بلا إجابة.',
      one: 'سؤال واحد بلا إجابة.',
      two: 'سؤالان متتاليان بلا إجابة.',
      few: '{count} أسئلة متتالية بلا إجابة.',
      many: '{count} سؤالًا متتاليًا بلا إجابة.',
      other: '{count} سؤال متتالٍ بلا إجابة.',
    },
    miss_chosen: 'بلا إجابة حتى يختار الشخص قسمًا.',
    miss_sources: 'أُجيب عن سؤال دون مصدر.',
    dont_know: 'لم يجب أي نموذج، فقال الوكيل إنه لا يعرف.',
    as_written: 'أُرسلت كما كُتبت.',
    own_opening: 'الرسالة الافتتاحية للوكيل.',
    built_in_opening: 'الرسالة الافتتاحية المدمجة.',
    campaign_opening: 'الرسالة الافتتاحية للحملة.',
    asked: 'طلب الشخص التحدث إلى إنسان.',
    model_stop: '{model}، إجابة كاملة',
    model_length: '{model}، قُطعت عند أطول إجابة',
    model_tools: '{model}، مع نداء أدوات',
    model_filter: '{model}، أوقفها مرشّح المزوّد',
    too_large: 'المستندات أكثر مما يسعه. بحث Parley بالكلمات.',
    incomplete: 'بعض المستندات غير جاهزة بعد. بحث Parley بالكلمات.',
    not_available: 'لم يجب نموذج التضمين ({code}). بحث Parley بالكلمات.',
    writes_in: 'لغة الشخص: {code}.',
    stopped: 'طلب الشخص التوقف.',
    patterns: 'استغرقت القواعد وقتًا طويلًا، فلم تُجرَّب كلها.',
    steps_begin: 'يطرح الوكيل السؤال الأول.',
    steps_end: 'أُجيب عن كل الأسئلة.',
    uncertain: 'الوكيل غير متأكد، فسأل أي قسم هو المقصود.',
    chosen: 'اختار الشخص قسمًا.',
    chose_none: 'لم يختر الشخص أي قسم.',
    not_understood: 'إجابات متتالية لم تُفهم: {count}.',
    rule_fits: 'تنطبق القاعدة «{name}».',
    rule_hands_over: 'سلّمت القاعدة «{name}» المحادثة.',
    rule_opts_out: 'أوقفت القاعدة «{name}» الرسائل.',
    slot_answered: 'أُجيب عن «{name}».',
    slot_skipped: 'تُخطّي «{name}».',
    slot_skip: '«{name}» مطلوب، وأراد الشخص تخطيه.',
    slot_small: '«{name}»: الرقم صغير جدًّا.',
    slot_large: '«{name}»: الرقم كبير جدًّا.',
    slot_short: '«{name}»: الإجابة قصيرة جدًّا.',
    slot_long: '«{name}»: الإجابة طويلة جدًّا.',
    slot_early: '«{name}»: التاريخ مبكر جدًّا.',
    slot_late: '«{name}»: التاريخ متأخر جدًّا.',
    slot_empty: '«{name}»: الإجابة فارغة.',
    slot_form: '«{name}»: الإجابة بصيغة غير المطلوبة.',
    talk_greeting: 'تحية',
    talk_thanks: 'شكر',
    talk_farewell: 'وداع',
    talk_acknowledged: 'تأكيد قصير',
    talk_file_received: 'ملف دون سؤال',
    images: {
      zero: 'لا صور',
      one: 'صورة واحدة',
      two: 'صورتان',
      few: '{count} صور',
      many: '{count} صورة',
      other: '{count} صورة',
    },
    failed_unreachable: 'تعذّر الوصول إلى {model}.',
    failed_refused: 'رفض {model} الطلب.',
    failed_rate_limited: 'كانت الطلبات إلى {model} كثيرة.',
    failed_garbled: 'تعذّرت قراءة إجابة {model}.',
    failed_timeout: 'استغرق {model} وقتًا طويلًا.',
    failed_budget: 'استُنفدت ميزانية {model}.',
  },
);

const SENTENCES: Readonly<Record<string, keyof (typeof texts)['en']>> = {
  'No passage answers this.': 'passages_none',
  'Passages were found.': 'passages_some',
  'Unanswered 1 in a row.': 'miss_first',
  'Unanswered until the person chooses a section.': 'miss_chosen',
  'A question was answered without a source.': 'miss_sources',
  dont_know: 'dont_know',
  'as written': 'as_written',
  "The agent's opening.": 'own_opening',
  'The built-in opening.': 'built_in_opening',
  'The campaign has its own opening text.': 'campaign_opening',
  'The person asked for a person.': 'asked',
  'The person asked to stop.': 'stopped',
  'The patterns took too long; not all were tried.': 'patterns',
  'The guided steps begin.': 'steps_begin',
  'All steps are answered.': 'steps_end',
  'The agent is not certain, so it asks which section is meant.': 'uncertain',
  'The person chose a section.': 'chosen',
  'The person chose none of the sections.': 'chose_none',
};
/** Sentences with a name or a code, and their texts. */
const NAMED: readonly (readonly [pattern: RegExp, text: keyof (typeof texts)['en']])[] = [
  [/^The rule "(.+)" fits\.$/s, 'rule_fits'],
  [/^The rule "(.+)" hands over\.$/s, 'rule_hands_over'],
  [/^The rule "(.+)" opts out\.$/s, 'rule_opts_out'],
  [/^"(.+)" was answered\.$/s, 'slot_answered'],
  [/^"(.+)" was skipped\.$/s, 'slot_skipped'],
  [/^"(.+)" was not understood: skip\.$/s, 'slot_skip'],
  [/^"(.+)" was not understood: too_small\.$/s, 'slot_small'],
  [/^"(.+)" was not understood: too_large\.$/s, 'slot_large'],
  [/^"(.+)" was not understood: too_short\.$/s, 'slot_short'],
  [/^"(.+)" was not understood: too_long\.$/s, 'slot_long'],
  [/^"(.+)" was not understood: too_early\.$/s, 'slot_early'],
  [/^"(.+)" was not understood: too_late\.$/s, 'slot_late'],
  [/^"(.+)" was not understood: empty\.$/s, 'slot_empty'],
  [/^"(.+)" was not understood: \w+\.$/s, 'slot_form'],
];
const TALK = ['greeting', 'thanks', 'farewell', 'acknowledged', 'file_received'] as const;
const FAILED = {
  provider_unreachable: 'failed_unreachable',
  provider_refused: 'failed_refused',
  provider_rate_limited: 'failed_rate_limited',
  provider_garbled: 'failed_garbled',
  provider_timeout: 'failed_timeout',
  budget_spent: 'failed_budget',
} as const;
const FINISHED = {
  stop: 'model_stop',
  length: 'model_length',
  'tool-calls': 'model_tools',
  'content-filter': 'model_filter',
} as const;

/** Returns the detail of a step as a sentence in the language of the reader. Unknown sentences do not change. */
export function stepDetail({ kind, detail }: Pick<TraceStep, 'kind' | 'detail'>, language: Language): string {
  const say = sayIn(texts, language);
  const sentence = SENTENCES[detail];
  if (sentence) return say(sentence);
  const [, many] = /^(?:Unanswered )?(\d+) (?:in a row\.|found)$/.exec(detail) ?? [];
  if (many !== undefined) return say(detail.endsWith('found') ? 'found' : 'miss_more', { count: Number(many) });
  const [, all] = /^all (\d+)$/.exec(detail) ?? [];
  if (all !== undefined) return say('whole', { count: Number(all) });
  const [, misunderstood] = /^(\d+) answers in a row were not understood\.$/.exec(detail) ?? [];
  if (misunderstood !== undefined) return say('not_understood', { count: Number(misunderstood) });
  if (kind === 'images') return say('images', { count: Number(detail) });
  for (const [pattern, text] of NAMED) {
    const [, name] = pattern.exec(detail) ?? [];
    if (name !== undefined) return say(text, { name });
  }
  const talk = kind === 'small_talk' ? TALK.find((one) => detail.endsWith(`: ${one}.`)) : undefined;
  if (talk) return say(`talk_${talk}`);
  const [, failed = '', reason] = kind === 'fallback' ? (/^(.+): (\w+)$/s.exec(detail) ?? []) : [];
  const failure = FAILED[reason as keyof typeof FAILED];
  if (failure) return say(failure, { model: failed });
  if (kind === 'embedding') return '';
  if (kind === 'embedding_failed')
    return detail === 'too_large' || detail === 'incomplete' ? say(detail) : say('not_available', { code: detail });
  const [, code] = /^The person writes (\w+)\.$/.exec(detail) ?? [];
  if (code) return say('writes_in', { code: new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code });
  const [, model = '', end] = kind === 'model' ? (/^(.+): ([a-z-]+)$/s.exec(detail) ?? []) : [];
  const how = FINISHED[end as keyof typeof FINISHED];
  return how ? say(how, { model }) : detail;
}
