import { withoutArabicClitics } from '../knowledge/stem-arabic.ts';
import { phrases, readWords, type Words } from '../read-words.ts';
import { smallTalkIn } from './phrases.ts';

/**
 * Recognizes a request for a human. The lists are in English, Arabic and Hindi (also Hindi in Latin letters) and are
 * compared after folding.
 */

const PERSON = phrases(
  'human|person|agent|live agent|human agent|real person|representative|operator|customer service|customer support|support agent|talk to human|real human|live chat|call me|call me back',
  'موظف|إنسان|شخص حقيقي|خدمة العملاء|ممثل خدمة العملاء|موظف خدمة العملاء|الدعم|مندوب|اتصلوا بي|اتصل بي|كلموني|مسؤول',
  'इंसान|एजेंट|ग्राहक सेवा|कस्टमर केयर|असली व्यक्ति|वास्तविक व्यक्ति|प्रतिनिधि|मुझे कॉल करें|मुझे फोन करें|कॉल करो',
);
const TALK = phrases(
  'talk|speak|chat|connect|transfer|get|need|want|give|contact|reach|put|escalate|switch|hand|pass|forward|see',
  'أتحدث|التحدث|نتحدث|تحدث|أتكلم|اتكلم|التكلم|أكلم|تكلم|أتواصل|التواصل|تواصل|حولني|حولوني|تحويلي|تحويل|حول|أوصلني|وصلني|أريد|اريد|أبغى|ابغي|أبي|بدي|عايز|عاوز|محتاج|أحتاج|أود|ممكن|كلمني|وصلوني',
  'बात|संपर्क|जोड़ें|जोड़ो|जोड़िए|मिलाओ|मिलाएं|कनेक्ट|चाहिए|baat|baat karni',
);
const TALK_NEEDS_TO = phrases('get|need|want|give|contact|reach|put|see|hand|pass|switch|forward');
const SOMEBODY = phrases(
  'human|person|agent|representative|rep|operator|advisor|adviser|somebody|someone|staff|employee|manager|supervisor|people|consultant|receptionist|specialist|support|team|colleague',
  'موظف|موظفة|شخص|إنسان|انسان|بشر|بشري|ممثل|مندوب|مسؤول|مدير|مشرف|أحد|احد|حد|وكيل|الدعم|دعم|موظفين|مستشار|حدا|العملاء|زميل|زميلة|زميلك',
  'इंसान|एजेंट|व्यक्ति|आदमी|प्रतिनिधि|कर्मचारी|मैनेजर|किसी|ऑपरेटर|सलाहकार|अधिकारी|स्टाफ|इनसान|सहकर्मी|insaan|agent|kisi',
);
/** "I need an agent" is a request, but "I need someone to …" or "contact the manager" may be a question. */
const CERTAIN = phrases('human|person|agent|representative|operator|rep');
const HINDI_TALK_FIRST = /[\u0900-\u097f]|baat|kisi/;

/** A longer sentence may contain the words of a request by chance. */
const MAX_SENTENCE_WORDS = 25;

/**
 * True if a sentence of the message asks for a human. A phrase without a verb ("agent", "customer service") is a
 * request only if it is the whole message, the last sentence, or a clause with "please".
 */
export const asksForPerson = (text: string): boolean =>
  text.split(SENTENCE_END).some((sentence) => asksToTalk(readWords(sentence))) || hasPhrase(text.split(LINE_END));

/** A full stop in a number or an address ("2.5", "shop.example") ends no sentence. */
const SENTENCE_END = /(?<=[?؟])|[!;؛。！।॥]|\.(?=\s|$)/u;
const LINE_END = /(?<=[?؟])|[!;؛。！।॥\n]|\.(?=\s|$)/u;
const CLAUSE_END = /[,،:–—]|\s-\s/u;

const hasPhrase = (lines: readonly string[]): boolean => {
  const meant = lines.filter((line) => !isEmpty(readWords(line)));
  const last = meant.at(-1);
  if (last === undefined) return false;
  // After other sentences, "Agent?" may ask who the writer is.
  const isAsked = meant.length === 1 || !/[?؟]/.test(last);
  if (isAsked && isPhrase(readWords(last))) return true;
  return meant.some((line) => line.split(CLAUSE_END).some((clause) => isPolite(readWords(clause))));
};

const isEmpty = (words: Words): boolean => words.length === 0 || smallTalkIn(words) !== null;

const isPhrase = (words: Words): boolean => PERSON.has(words.filter((word) => !POLITE.has(word)).join(' '));

const isPolite = (words: Words): boolean => words.some((word) => PLEASE.has(word)) && isPhrase(words);

const asksToTalk = (words: Words): boolean => {
  if (words.length > MAX_SENTENCE_WORDS) return false;
  for (const [at, word] of words.entries()) {
    if (!TALK.has(word)) continue;
    // English and Arabic put the verb first, but Hindi puts it last.
    const near = HINDI_TALK_FIRST.test(word) ? words.slice(Math.max(0, at - 4), at) : words.slice(at + 1, at + 6);
    const wanted = TALK_NEEDS_TO.has(word) ? CERTAIN : SOMEBODY;
    if (near.some((one) => wanted.has(one) || SOMEBODY_ARABIC(one))) return true;
  }
  return false;
};

const SOMEBODY_ARABIC = (word: string): boolean => {
  const bare = withoutArabicClitics(word);
  return bare !== word && SOMEBODY.has(bare);
};

/** Words that may occur in a request besides the phrase. */
const POLITE = phrases(
  'please|pls|plz|kindly|now|a|an|the|hi|hello|hey|مرحبا|من|فضلك|فضلكم|لو|سمحت|سمحتم|رجاء|कृपया|प्लीज|जी|अभी|मुझे|नमस्ते',
);
/** A clause with one of these words is a request. */
const PLEASE = phrases('please|pls|plz|kindly|فضلك|فضلكم|سمحت|سمحتم|رجاء|कृपया|प्लीज');
