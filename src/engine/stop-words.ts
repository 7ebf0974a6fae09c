import { phrases, readWords, type Words } from './read-words.ts';

/**
 * The phrases with which a person opts out, in English, Arabic and Hindi (also Hindi in Latin letters). Words and
 * message are folded before the comparison. The stop words are checked before every turn, whether a model or the
 * embedded agent answers, and when a message arrives while the team answers. The effect of a stop word is in
 * src/answering/record-opt-out.ts.
 */
const STOP = phrases(
  'stop|stopp|stop all|stopall|unsubscribe|unsubscribe me|opt out|optout|opt me out|revoke|remove me|stop it|please stop|stop please|stop now',
  'stop sending|stop messages|stop sending messages|no more messages|remove me from your list|take me off your list|leave me alone',
  'إيقاف|ايقاف|توقف|توقفوا|أوقف|أوقفوا|قف|وقف|وقفوا|كفى|ستوب|إلغاء الاشتراك|الغاء الإشتراك|ألغ الاشتراك|ألغي الاشتراك|إيقاف الرسائل|أوقفوا الرسائل|أوقف الرسائل|وقف الرسائل|وقفوا الرسائل|لا ترسل|لا ترسلوا|لا تراسلني|لا تراسلوني|لا ترسلوا لي|لا ترسل لي رسائل|لا ترسلوا لي رسائل|لا أريد رسائل|لا أريد المزيد من الرسائل|من فضلك توقف|توقف من فضلك',
  'रोकें|रोको|रोक दो|रोक दें|रोकिए|रुकें|रुको|रुकिए|रूको|बंद|बंद करें|बंद करो|बंद कर दो|बंद कीजिए|स्टॉप|स्टाप|अनसब्सक्राइब|सदस्यता समाप्त|सदस्यता रद्द करें|संदेश बंद करें|मैसेज बंद करो|मैसेज बंद करें|मैसेज मत भेजो|मैसेज मत भेजें|मुझे मैसेज मत भेजो|मुझे मैसेज मत करो|मुझे मैसेज न करें|संदेश मत भेजें|मुझे संदेश न भेजें|और मैसेज नहीं चाहिए|band karo|message mat bhejo|mat bhejo',
);
const STOP_SENTENCE =
  /^(?:please |pls |just )?(?:stop|quit|do not|don't|dont|never) (?:\w+ ){0,2}?(?:messag\w*|text\w*|contact\w*|writ\w*|send\w*|spamm?\w*)(?: to)? ?(?:me|this number|these|messages?|texts?|anything)?(?: \w+){0,3}$/;

const MAX_STOP_WORDS = 10;
/** A longer message has too many words to be only a stop word. */
const MAX_STOP_CHARACTERS = 400;

/**
 * Returns true if the whole text of at least one message is an opt-out. A longer sentence with the word "stop" is not
 * an opt-out.
 */
export const asksToStop = (input: readonly string[]): boolean =>
  input.some((text) => text.trim().length <= MAX_STOP_CHARACTERS && isStop(readWords(text.trim())));

const isStop = (words: Words): boolean => {
  if (words.length === 0 || words.length > MAX_STOP_WORDS) return false;
  const text = words.join(' ');
  return STOP.has(text) || (words.length > 2 && STOP_SENTENCE.test(text) && !words.includes('why'));
};
