import type { Change, Numbers } from '../../../contract/dashboard/statistics.ts';
import type { WeeklyMailLanguage } from '../../../contract/dashboard/weekly-mail.ts';
import { type MailPart, type MailText, unlinked } from '../../store/mail.ts';

/** The content of a weekly mail. */
export type Week = {
  organization: string;
  numbers: Numbers;
  questions: { text: string; count: number }[];
  /** The agent that got all of the listed questions. Null: several agents got the questions. */
  agentId: string | null;
  brokenChannels: { id: string; name: string }[];
};

const EN = {
  subject: 'The week in {organization}',
  intro: 'The activity in {organization} in the last 7 days, compared with the 7 days before.',
  numbers: 'In numbers',
  conversations: 'Conversations',
  alone: 'Ended without a person',
  hand_offs: 'Hand-offs to people',
  first_reply: 'First reply of a person (median)',
  messages: 'Messages sent',
  calls: 'API calls',
  refused: 'API calls refused',
  before: 'before: {before}',
  minutes: '{n} min',
  under_a_minute: 'under 1 min',
  open_home: 'Open Home',
  questions: 'Questions without an answer',
  asked: '“{question}”, asked {count} times',
  asked_once: '“{question}”',
  open_questions: 'Answer them',
  broken: 'Channels that do not work',
  open_channels: 'Open channels',
  why: 'You get this mail on Mondays because you are a member of {organization}. You can turn this mail off under “Your account”.',
  stop: 'Stop this weekly mail',
};
const AR: typeof EN = {
  subject: 'الأسبوع في {organization}',
  intro: 'هذا ما حدث في {organization} خلال الأيام السبعة الأخيرة، مقارنةً بالأيام السبعة التي قبلها.',
  numbers: 'بالأرقام',
  conversations: 'المحادثات',
  alone: 'انتهت من دون شخص',
  hand_offs: 'التحويلات إلى أشخاص',
  first_reply: 'أول رد من شخص (الوسيط)',
  messages: 'الرسائل المرسلة',
  calls: 'استدعاءات API',
  refused: 'استدعاءات API المرفوضة',
  before: 'سابقًا: {before}',
  minutes: '{n} د',
  under_a_minute: 'أقل من دقيقة',
  open_home: 'فتح الرئيسية',
  questions: 'أسئلة بلا جواب',
  asked: '«{question}»، عدد المرات: {count}',
  asked_once: '«{question}»',
  open_questions: 'الإجابة عنها',
  broken: 'قنوات لا تعمل',
  open_channels: 'فتح القنوات',
  why: 'تصلك هذه الرسالة أيام الاثنين لأنك عضو في {organization}. يمكنك تغيير ذلك في «حسابك».',
  stop: 'إيقاف هذه الرسالة الأسبوعية',
};
const WORDS = { en: EN, ar: AR };

/** A question may be long, because another person wrote it. */
const MAX_QUESTION = 160;

export function weeklyMailText(
  { organization, numbers, questions, agentId, brokenChannels }: Week,
  { language, baseUrl }: { language: WeeklyMailLanguage; baseUrl: string },
): Pick<MailText, 'subject' | 'lines' | 'parts' | 'after' | 'language'> & { stop: string } {
  const say = (word: keyof typeof EN, values: Record<string, string> = {}): string =>
    WORDS[language][word].replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  const name = { organization: unlinked(organization) };
  const parts: MailPart[] = [
    {
      title: say('numbers'),
      lines: numberLines(numbers, say, language),
      link: { label: say('open_home'), url: `${baseUrl}/?period=7d` },
    },
  ];
  if (questions.length > 0)
    parts.push({
      title: say('questions'),
      lines: questions.map(({ text, count }) =>
        say(count > 1 ? 'asked' : 'asked_once', { question: shown(text), count: asNumber(language, count) }),
      ),
      link: {
        label: say('open_questions'),
        url: agentId === null ? `${baseUrl}/agents` : `${baseUrl}/agents/${agentId}?tab=knowledge`,
      },
    });
  if (brokenChannels.length > 0)
    parts.push({
      title: say('broken'),
      lines: brokenChannels.map((one) => unlinked(one.name)),
      link: { label: say('open_channels'), url: `${baseUrl}/channels` },
    });
  const sections = { subject: say('subject', name), lines: [say('intro', name)], after: [say('why', name)] };
  return { ...sections, parts, language, stop: say('stop') };
}

type Say = (word: keyof typeof EN, values?: Record<string, string>) => string;

function numberLines(numbers: Numbers, say: Say, language: WeeklyMailLanguage): string[] {
  const line = (word: keyof typeof EN, { now, before }: Record<keyof Change, string>): string =>
    `${say(word)}: ${now} (${say('before', { before })})`;
  const counted = ({ now, before }: Change) => ({ now: asNumber(language, now), before: asNumber(language, before) });
  const waited = (seconds: number | null): string =>
    seconds === null
      ? '–'
      : seconds < 60
        ? say('under_a_minute')
        : say('minutes', { n: asNumber(language, Math.round(seconds / 60)) });
  const share = (part: number, of: number): string =>
    of === 0 ? '–' : new Intl.NumberFormat(language, { style: 'percent' }).format(part / of);
  const { ended, ended_alone: alone, first_reply_seconds: wait } = numbers;
  return [
    line('conversations', counted(numbers.conversations)),
    line('alone', { now: share(alone.now, ended.now), before: share(alone.before, ended.before) }),
    line('hand_offs', counted(numbers.handed_off)),
    line('first_reply', { now: waited(wait.now), before: waited(wait.before) }),
    line('messages', counted(numbers.messages)),
    line('calls', counted(numbers.calls)),
    line('refused', counted(numbers.refused)),
  ];
}

const asNumber = (language: WeeklyMailLanguage, value: number): string => new Intl.NumberFormat(language).format(value);

function shown(question: string): string {
  const line = unlinked(question.replace(/\s+/g, ' ').trim());
  return line.length <= MAX_QUESTION ? line : `${line.slice(0, MAX_QUESTION - 1).trimEnd()}…`;
}
