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
};
const FINISHED = {
  stop: 'model_stop',
  length: 'model_length',
  'tool-calls': 'model_tools',
  'content-filter': 'model_filter',
} as const;

/** Returns the detail of a step as a sentence. Sentences with names that people chose do not change. */
export function stepDetail({ kind, detail }: Pick<TraceStep, 'kind' | 'detail'>, language: Language): string {
  const say = sayIn(texts, language);
  const sentence = SENTENCES[detail];
  if (sentence) return say(sentence);
  const [, many] = /^(?:Unanswered )?(\d+) (?:in a row\.|found)$/.exec(detail) ?? [];
  if (many !== undefined) return say(detail.endsWith('found') ? 'found' : 'miss_more', { count: Number(many) });
  if (kind === 'embedding') return '';
  if (kind === 'embedding_failed')
    return detail === 'too_large' || detail === 'incomplete' ? say(detail) : say('not_available', { code: detail });
  const [, code] = /^The person writes (\w+)\.$/.exec(detail) ?? [];
  if (code) return say('writes_in', { code: new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code });
  const [, model = '', end] = kind === 'model' ? (/^(.+): ([a-z-]+)$/s.exec(detail) ?? []) : [];
  const how = FINISHED[end as keyof typeof FINISHED];
  return how ? say(how, { model }) : detail;
}
