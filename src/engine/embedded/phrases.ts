import { phrases, type Words } from '../read-words.ts';

/**
 * Phrases of messages that are not questions, such as greetings, thanks, yes, no, and skip. The lists are in English,
 * Arabic and Hindi (also Hindi in Latin letters) and are compared after folding.
 */

const GREETING = phrases(
  'hi|hii|hiii|hello|helo|hey|heya|howdy|greetings|good|morning|afternoon|evening|day|salam|salaam|assalamualaikum|namaste|namaskar|hola',
  'مرحبا|مرحباً|أهلا|اهلا|أهلاً|هلا|هلو|هاي|السلام|سلام|صباح|مساء|تحية|مرحبتين|سهلا|الخير|النور|عليكم|يا',
  'नमस्ते|नमस्कार|हैलो|हेलो|हाय|प्रणाम|सुप्रभात|राम|शुभ|प्रभात|संध्या|दोपहर|सलाम|आदाब',
);
const GREETING_FILLER = phrases(
  'there|to|you|all|team|everyone|sir|madam|dear|how|are|is|it|going|ورحمة|الله|وبركاته|و|بك|بكم|فيكم|كيف|حالك|حالكم|الحال|जी|सर|मैडम|आप|कैसे|हैं|हो|सब|राम|a|nice',
);
/** Telegram sends the command `/start` when a person presses the button that starts a chat with a bot. */
export const asksToBegin = (text: string): boolean => /^\s*\/start(?:@\w{1,64})?(?:\s|$)/i.test(text);

const THANKS = phrases(
  'thanks|thank|thankyou|thx|thnx|tnx|ty|cheers|appreciate|appreciated|shukriya|dhanyavad|dhanyawad|shukran|awesome|perfect|great',
  'شكرا|شكراً|مشكور|مشكورين|شاكر|شاكرين|ممنون|تسلم|تسلمون|أشكرك|اشكرك|اشكركم|يعطيك',
  'धन्यवाद|शुक्रिया|थैंक्यू|थैंक|थैंक्स|आभार|बढ़िया',
);
const THANKS_FILLER = phrases(
  'you|so|very|much|a|lot|for|your|the|help|that|is|it|all|ok|okay|really|very|many|again|information|info|answer|got|good|was|helpful|i|جزيلا|جزيلاً|لك|لكم|كثيرا|على|المساعدة|مساعدتك|الف|ألف|جدا|العافية|الله|والله|و|आपका|बहुत|बहोत|मदद|के|लिए|यू|है|जी|ठीक|आपकी|का|हो|गया',
);
const FAREWELL = phrases(
  'bye|goodbye|bye bye|good bye|see you|see you later|good night|take care|talk later|have a nice day|have a good day',
  'مع السلامة|وداعا|إلى اللقاء|باي|تصبح على خير|في أمان الله',
  'अलविदा|बाय|फिर मिलेंगे|शुभ रात्रि|टाटा',
);
const ACKNOWLEDGED = phrases(
  'ok|okay|k|alright|got it|i see|fine|sure|understood|cool|nice|تمام|حسنا|طيب|اوكي|أوكي|ماشي|فهمت|ठीक है|ठीक|ओके|अच्छा|समझ गया|समझ गई|theek hai|accha',
);

export type SmallTalk = 'greeting' | 'thanks' | 'farewell' | 'acknowledged';

/** A message is small talk only if it contains nothing else, so "hello, when do you open" is a question. */
export const smallTalkIn = (words: Words): SmallTalk | null => {
  if (words.length === 0 || words.length > 9) return null;
  const joined = words.join(' ');
  if (FAREWELL.has(joined)) return 'farewell';
  if (ACKNOWLEDGED.has(joined)) return 'acknowledged';
  if (words.some((word) => THANKS.has(word)) && words.every((word) => THANKS.has(word) || THANKS_FILLER.has(word)))
    return 'thanks';
  const greets = (word: string): boolean => GREETING.has(word) || GREETING_FILLER.has(word);
  return GREETING.has(words[0]!) && words.every(greets) ? 'greeting' : null;
};

const YES = phrases(
  "yes|y|yep|yeah|yup|ya|yess|sure|ok|okay|of course|certainly|correct|right|true|confirm|confirmed|absolutely|definitely|i do|yes please|haan|han|haa|ji|ji haan|na'am|naam|aywa|affirmative|agree|i agree|please do",
  'نعم|اي|أي|إي|ايوه|أيوه|ايوا|أيوا|أيوة|اجل|أجل|بلى|طبعا|أكيد|اكيد|تمام|موافق|موافقة|صحيح|حسنا|نعم من فضلك|ماشي|طيب|اوكي|بالتأكيد|بالطبع',
  'हाँ|हां|हा|जी|जी हाँ|जी हां|हाँ जी|बिल्कुल|बिलकुल|ठीक है|ठीक|सही|सही है|ज़रूर|अवश्य|ओके|यस|सहमत',
);
const NO = phrases(
  "no|n|nope|nah|not|no thanks|no thank you|never|negative|false|wrong|i don't|i do not|not really|incorrect|nahi|nahin|na|la|disagree|don't",
  'لا|كلا|لأ|لا شكرا|مو|مش|غير صحيح|أبدا|ابدا|غير موافق|خطأ|لا أريد|لا اريد|ليس',
  'नहीं|नही|ना|न|जी नहीं|जी नही|नहीं जी|गलत|बिल्कुल नहीं|नो|मत|नहीं चाहिए|असहमत',
);

/** True if the message is a yes without any addition. The message "yes, but …" is not a plain yes. */
export const isPlainYes = (words: Words): boolean => YES.has(words.join(' '));

/**
 * Returns true for yes, false for no, and null for every other text. In a longer answer, the first word counts ("yes,
 * next week").
 */
export const yesOrNo = (words: Words): boolean | null => {
  const joined = words.join(' ');
  if (NO.has(joined)) return false;
  if (YES.has(joined)) return true;
  if (words.length === 0 || words.length > 12) return null;
  if (NO.has(words[0]!) || NO.has(words.slice(0, 2).join(' '))) return false;
  if (YES.has(words[0]!) || YES.has(words.slice(0, 2).join(' '))) return true;
  // In Hindi, "no" is the last word, as in "मुझे नहीं चाहिए".
  if (words.some((word) => word === 'नहीं' || word === 'नही')) return false;
  return null;
};

const SKIP = phrases(
  "skip|skip it|skip this|skip that|pass|next|none|n a|no answer|not now|later|don't know|i don't know|dont know|prefer not to say|nothing|skip please|please skip",
  'تخطي|تخطى|تخط|تجاوز|تخطي من فضلك|التالي|لا شيء|لا يوجد|لا أعرف|لا اعرف|لاحقا|بعدين|تخطيه|لا أعلم',
  'छोड़ें|छोड़ो|छोड़ दो|छोड़ दें|स्किप|आगे|आगे बढ़ें|अगला|कुछ नहीं|पता नहीं|मालूम नहीं|बाद में|रहने दो|रहने दें|skip karo|aage',
);

export const asksToSkip = (words: Words): boolean => SKIP.has(words.join(' '));

const QUESTION_WORD = phrases(
  'what|when|where|why|who|whose|which|how|can|could|do|does|is|are|will|would|may|should|did',
  'ما|ماذا|متى|أين|اين|وين|لماذا|ليش|من|أي|كيف|كم|هل|بكم|شو|ايش|لمن',
  'क्या|कब|कहाँ|कहां|क्यों|कौन|कौनसा|किस|कैसे|कितना|कितने|कितनी|किसका',
);

/**
 * True if the text is a question rather than an answer, because of a question mark or a question word at its beginning.
 */
export const isQuestion = (text: string, words: Words): boolean => {
  if (/[?؟]/.test(text)) return true;
  if (words.length < 3) return false;
  return QUESTION_WORD.has(words[0]!) || words.some((word) => /[\u0900-\u097f]/.test(word) && QUESTION_WORD.has(word));
};
