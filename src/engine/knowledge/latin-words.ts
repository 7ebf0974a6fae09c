import { foldText, wordsOf, type Writing } from './fold-text.ts';

/**
 * Common Hindi and Arabic words that people write in Latin letters, with the spelling that documents use. The list
 * contains no English word, except for the words in MARKS_NOTHING.
 */
const HINDI = `kya क्या|kyaa क्या|hai है|he है|hain हैं|hoon हूँ|hun हूँ|ho हो|tha था|thi थी|hoga होगा|hogi होगी|honge होंगे
ka का|ki की|ke के|ko को|se से|mein में|me में|main मैं|par पर|pe पर|aur और|ya या|to तो|bhi भी|hi ही|na न|nahi नहीं|nahin नहीं|nhi नहीं
kab कब|kahan कहाँ|kaha कहाँ|kahaan कहाँ|kidhar किधर|kaise कैसे|kese कैसे|kyon क्यों|kyun क्यों|kyu क्यों|kaun कौन|kon कौन|kis किस|kise किसे
kitna कितना|kitni कितनी|kitne कितने|kitana कितना|kaunsa कौनसा|konsa कौनसा|kaunsi कौनसी|kuch कुछ|koi कोई|sab सब|bahut बहुत|jab जब|agar अगर|tak तक
mera मेरा|meri मेरी|mere मेरे|mujhe मुझे|mujhko मुझे|hum हम|hame हमें|hamara हमारा|aap आप|aapka आपका|aapki आपकी|aapke आपके|ap आप|apka आपका|apki आपकी|apna अपना|apni अपनी|apne अपने|yeh यह|ye यह|woh वह|wo वह|iska इसका|iski इसकी|uska उसका
liye लिए|lie लिए|saath साथ|sath साथ|baad बाद|bad बाद|pehle पहले|pahle पहले|andar अंदर|bahar बाहर|paas पास|pas पास|wala वाला|wali वाली|wale वाले|vala वाला|abhi अभी|aaj आज|kal कल|roz रोज|din दिन|subah सुबह|shaam शाम|sham शाम|raat रात|dopahar दोपहर|baje बजे|mahina महीना|mahine महीने|saal साल|hafta हफ्ता|hafte हफ्ते|ghanta घंटा|ghante घंटे|samay समय
chahiye चाहिए|chahie चाहिए|milega मिलेगा|milegi मिलेगी|milta मिलता|milti मिलती|sakta सकता|sakti सकती|sakte सकते|karna करना|karne करने|karte करते|karo करो|kare करें|karen करें|karu करूँ|karun करूँ|kar कर|karta करता|hota होता|hoti होती|hote होते|gaya गया|gayi गई|gaye गए|raha रहा|rahi रही|rahe रहे|dena देना|dete देते|deta देता|doge देंगे|lena लेना|lete लेते|leta लेता|lagta लगता|lagti लगती|lagte लगते|lagega लगेगा|lagenge लगेंगे|chalega चलेगा|chalegi चलेगी|chalta चलता|jata जाता|jati जाती|jate जाते|aata आता|aati आती|batao बताओ|bataiye बताइए|bata बता|batana बताना|bhejna भेजना|bhejni भेजनी|bhejo भेजो
paisa पैसा|paise पैसे|rupaye रुपये|rupay रुपये|rupees रुपये|daam दाम|dam दाम|kimat कीमत|keemat कीमत|kharcha खर्च|kharch खर्च|muft मुफ्त|free मुफ्त|ghar घर|dukan दुकान|pata पता|khula खुला|khulta खुलता|khulti खुलती|band बंद|naya नया|nayi नई|purana पुराना|bacha बच्चा|bachcha बच्चा|bache बच्चे|bachche बच्चे|log लोग|logo लोगों|khana खाना|pani पानी|paani पानी|wapas वापस|vapas वापस|wapis वापस|der देर|jaldi जल्दी|chhoot छूट|chhut छूट|chhutti छुट्टी|chutti छुट्टी`;

const ARABIC = `kam كم|bikam بكم|bkam بكم|bekam بكم|mata متى|meta متى|emta متى|emteen متى|wain وين|wein وين|wayn وين|ween وين|fein وين|fain وين|feen وين|ayn أين|ayna أين|kaif كيف|keef كيف|kayf كيف|shlon كيف|shlonkum كيف|leish ليش|lesh ليش|laish ليش|shu شو|shou شو|sho شو|aish ايش|eish ايش|esh ايش|matha ماذا|madha ماذا|meen من|hal هل|hatha هذا|hada هذا|hadha هذا|hathi هذه
el -|al -|il -|lil -|fi في|fe في|min من|men من|ila إلى|ela إلى|la لا|wa و|w و|ma ما|maa مع|ma3 مع|ma3a مع|aw أو|aw2 أو|law لو|etha إذا|iza إذا|ana أنا|ani أنا|inta أنت|enta أنت|ente أنت|antum أنتم|entu أنتم|kul كل|kol كل|ba3d بعد|baad بعد|gabl قبل|qabl قبل|abl قبل|3ala على|3la على|3an عن|3and عند|3end عند|3indi عندي|3endi عندي|3andi عندي|3indkum عندكم|3endkom عندكم|3andkum عندكم|3andkom عندكم|fee في|feeh فيه|fih فيه|maku لا|mafi لا|mafee لا|aku يوجد
abi أبي|abgha أبغى|abga أبغى|abghi أبغى|areed أريد|oreed أريد|ureed أريد|urid أريد|3ayez أريد|3ayz أريد|bedi أريد|biddi أريد|mumkin ممكن|momken ممكن|momkin ممكن|mumken ممكن|a2dar أقدر|agdar أقدر|aqdar أقدر|lazem لازم|lazim لازم|yom يوم|youm يوم|yawm يوم|alyom اليوم|elyom اليوم|bukra بكرة|bokra بكرة|sa3a ساعة|se3a ساعة|saa3a ساعة|shahr شهر|shaher شهر|sana سنة|usbu3 أسبوع|osboo3 أسبوع|se3r سعر|si3r سعر|s3r سعر|as3ar أسعار|es3ar أسعار|floos فلوس|flous فلوس|fulus فلوس|riyal ريال|majani مجاني|majanan مجانا|balash مجانا|raqam رقم|raqm رقم|rakam رقم|3inwan عنوان|3enwan عنوان|maftuh مفتوح|maftoo7 مفتوح|maftou7 مفتوح|tefta7 تفتح|tifta7oon تفتحون|taftahun تفتحون|musakar مغلق|mughlaq مغلق|tawseel توصيل|tawsil توصيل|7ajz حجز|hajz حجز|khasm خصم|5asm خصم|dawam دوام|shukran شكرا|marhaba مرحبا|mar7aba مرحبا|salam سلام|sayara سيارة|sayyara سيارة|bait بيت|bayt بيت|beit بيت`;

/** The words of this list are also English words or names, so they do not show the language. */
const MARKS_NOTHING = new Set(
  'he|ho|ka|ki|ke|se|me|main|par|pe|ya|to|hi|na|kis|kal|din|bad|pas|dam|dena|log|logo|band|free|rupees|bata|kar|kare|hun|hum|der|sham|roz|tak|pata|sab|ye|wo|ap|lie|karen|fi|fe|el|al|il|lil|min|men|la|ma|maa|wa|w|aw|law|ana|ani|fee|baad|abi|hal|kam|meta|sana|sho|riyal|bait|salam|mata|fain|hada|dopahar|tha|thi|koi|raha|doge|meen'.split(
    '|',
  ),
);
/** Matches a word with a digit for a letter that Latin lacks, such as "se3r" and "7ajz". */
const LETTER_DIGIT = /^(?=.*[a-z])(?=.*[23579])[a-z23579]{3,20}$/;
/** A digit that replaces a letter is next to other letters of the word. The words "a4", "mp3" and "h2o" are names. */
const NAMES_WITH_DIGIT = /^(?:[a-z]{1,3}\d|\d[a-z]{1,2}|[a-z]\d[a-z])$/;

const tableOf = (list: string): Map<string, string> =>
  new Map(
    list.split(/[|\n]/).map((pair) => {
      const [latin, native] = pair.split(' ');
      return [latin!, native!];
    }),
  );
let tables: { hi: Map<string, string>; ar: Map<string, string> } | undefined;
const tablesOnce = () => (tables ??= { hi: tableOf(HINDI), ar: tableOf(ARABIC) });

type LatinLanguage = 'hi' | 'ar';

/** Detects Hindi or Arabic in Latin letters by common words. Null: the words are in another language. */
export const latinLanguageOf = (words: readonly string[]): LatinLanguage | null => {
  const { hi, ar } = tablesOnce();
  const latin = words.slice(0, MAX_WORDS).filter((word) => /^[a-z0-9']+$/.test(word));
  const hindi = latin.filter((word) => hi.has(word) && isMark(word)).length;
  const arabic = latin.filter((word) => (ar.has(word) && isMark(word)) || isSpelledWithDigits(word)).length;
  const english = latin.filter((word) => ENGLISH.has(word)).length;
  const most = Math.max(hindi, arabic);
  // In a long text, one common word is not enough. English words in the text count against a language.
  if (most === 0 || most <= english || most / latin.length < LEAST_SHARE) return null;
  return hindi >= arabic ? 'hi' : 'ar';
};

/** In "battery ka rate", one ambiguous word shows the language if the documents are in it and no word is English. */
const likelyLanguageOf = (words: readonly string[], writings: ReadonlySet<Writing>): LatinLanguage | null => {
  if (words.length > MAX_SHORT || words.some((word) => ENGLISH.has(word))) return null;
  const { hi, ar } = tablesOnce();
  if (writings.has('devanagari') && words.some((word) => hi.has(word))) return 'hi';
  return writings.has('arabic') && words.some((word) => ar.has(word)) ? 'ar' : null;
};

const isMark = (word: string): boolean => !MARKS_NOTHING.has(word);
const isSpelledWithDigits = (word: string): boolean => LETTER_DIGIT.test(word) && !NAMES_WITH_DIGIT.test(word);

/**
 * Converts common Hindi and Arabic words in Latin letters to their dictionary spelling, for example "kitna" to "कितना".
 */
export const respell = (question: string, writings: ReadonlySet<Writing> = NO_WRITINGS): string => {
  const words = wordsOf(foldText(question));
  const language = latinLanguageOf(words) ?? likelyLanguageOf(words, writings);
  if (language === null) return question;
  return words
    .map((word) => nativeSpelling(word, language) ?? word)
    .join(' ')
    .trim();
};

/**
 * Returns the spelling that documents use for a common word. Empty: the word is an article. Null: the word is not in
 * the list.
 */
export const nativeSpelling = (word: string, language: LatinLanguage): string | null =>
  tablesOnce()[language].get(word)?.replace('-', '') ?? null;

const ENGLISH = new Set(
  'the|is|are|what|when|where|how|does|do|can|my|your|i|a|an|of|for|with|have|please|which|who|will|would|there|it|this|that|and|you|we'.split(
    '|',
  ),
);
const NO_WRITINGS: ReadonlySet<Writing> = new Set();
const MAX_WORDS = 200;
const MAX_SHORT = 6;
const LEAST_SHARE = 0.2;
