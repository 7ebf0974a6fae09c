/**
 * Detects the kind of fact that a passage states, such as money, a time or a place. The patterns match folded text
 * (ASCII digits).
 */
export type Feature =
  | 'money'
  | 'time'
  | 'duration'
  | 'number'
  | 'phone'
  | 'email'
  | 'url'
  | 'place'
  | 'measure'
  | 'percent'
  | 'condition';

export const featuresOf = (folded: string): Feature[] =>
  (Object.keys(PATTERNS) as Feature[]).filter((feature) => PATTERNS[feature].test(folded));

const AROUND = '(?<![\\p{L}\\p{M}])';
const END = '(?![\\p{L}\\p{M}])';
const any = (...words: string[]): RegExp => new RegExp(`${AROUND}(?:${words.join('|')})${END}`, 'u');

const NUMBER_WORDS =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|half|واحد|واحده|اثنان|اثنين|ثلاثه?|اربعه?|خمسه?|سته?|سبعه?|ثمانيه?|تسعه?|عشره?|عشرين|ثلاثين|نصف|ميه|दो|तीन|चार|पांच|पाच|छह|छः|सात|आठ|नौ|दस|बारह|पंद्रह|बीस|तीस|चौबीस|पचास|आधा|आधे|एक';
const NUMBER = `(?:\\d[\\d.,]*|${NUMBER_WORDS})`;
const CURRENCY =
  'qar|qr|sar|aed|usd|eur|inr|gbp|kwd|bhd|omr|rs\\.?|riyals?|rials?|dollars?|euros?|dirhams?|dinars?|rupees?|pounds?|cents?|ريالا?ت?|ر\\.?ق|درهما?|دراهم|دينارا?|دنانير|دولارا?|جنيها?|ليره|روبيه|रुपये|रुपए|रूपये|रूपए|रु\\.?|रुपया|रुपयों|डॉलर|रियाल';
const UNIT_OF_TIME =
  'seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|nights?|weeks?|months?|years?|ثانيه|ثواني|دقيقه|دقايق|ساعه|ساعات|يوما?|ايام|ليله|ليال|اسبوعا?|اسابيع|شهرا?|اشهر|شهور|سنه|سنوات|عاما?|اعوام|सेकंड|मिनट|घंटे|घंटा|घंटों|दिन|दिनों|दिवस|हफ्ते|हफ्ता|सप्ताह|महीने|महीना|महीनों|माह|साल|सालों|वर्ष|वर्षों';

const COUNT = new RegExp(`^(?:${NUMBER}|unlimited|no|असीमित|محدود|محدوده|محدودين)$`, 'u');
/** True if a word states a quantity, as digits, a number in words, or "unlimited". */
export const isCount = (word: string): boolean => COUNT.test(word);

const PATTERNS: Record<Feature, RegExp> = {
  money: new RegExp(
    `[$€£₹]\\s?\\d|\\d\\s?[$€£₹]|${AROUND}(?:${CURRENCY})\\s?\\d|\\d\\s?(?:${CURRENCY})${END}|${AROUND}(?:${NUMBER_WORDS})\\s(?:${CURRENCY})${END}|${AROUND}(?:free|complimentary|no charge|half price|gratis|half of|مجانا?|مجانيه?|المجاني|بالمجان|मुफ्त|फ्री|निःशुल्क|निशुल्क)${END}`,
    'u',
  ),
  time: new RegExp(
    `\\d{1,2}:\\d\\d|\\d\\s?(?:am|pm|a\\.m|p\\.m|o'?clock|uhr|ص|م)${END}|\\d\\s?بجے|${AROUND}at (?:${NUMBER_WORDS})${END}|\\d{1,2}[/.-]\\d{1,2}[/.-]\\d{2,4}|${AROUND}(?:noon|midnight|24/7|24 hours|around the clock|daily|every day|always|never closes?|closed|mornings?|afternoons?|evenings?|tonight|today|tomorrow|weekdays?|weekends?|(?:sun|mon|tues|wednes|thurs|fri|satur)days?|jan(?:uary)?|feb(?:ruary)?|march|april|june|july|august|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|immediately|instantly|before|after|until|by the end|first day|last day|\\d+(?:st|nd|rd|th)|each month|every month|end of (?:the|each|every)|(?:و|ب|في )?الساعه|صباحا?|مساء?|ظهرا?|الظهر|ليلا?|عصرا?|يوميا|مدار الساعه|طوال اليوم|(?:ال)?(?:احد|اثنين|ثلاثا|اربعا|خميس|جمعه|سبت)|يناير|فبراير|مارس|ابريل|مايو|يونيو|يوليو|اغسطس|سبتمبر|اكتوبر|نوفمبر|ديسمبر|فورا|بعد|قبل|حتي|خلال|اليوم|كل شهر|كل يوم|نهايه|اخر موعد|كل|बजे|सुबह|शाम|रात|दोपहर|रोज|प्रतिदिन|हमेशा|तुरंत|चौबीस घंटे|तारीख|(?:सोम|मंगल|बुध|गुरु|शुक्र|शनि|रवि)वार|जनवरी|फरवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्टूबर|नवंबर|दिसंबर|के बाद|से पहले|तक)${END}`,
    'u',
  ),
  duration: new RegExp(
    `${AROUND}${NUMBER}(?:\\s?(?:-|–|to|and|الي|से|या|or)\\s?${NUMBER})?[\\s-]?(?:(?:working|business|full|calendar|عمل|कार्य)\\s)?(?:${UNIT_OF_TIME})${END}|${AROUND}(?:ساعتين|يومين|اسبوعين|شهرين|سنتين|دقيقتين|ليلتين|عامين|same day|next day|immediately|instantly|overnight|at once|فورا|في نفس اليوم|يوم عمل|अगले दिन|उसी दिन|तुरंत|يوم واحد|expires?)${END}`,
    'u',
  ),
  number: new RegExp(
    `\\d|${AROUND}(?:${NUMBER_WORDS}|unlimited|free|no limit|مجاني|مجانا|غير محدوده?|لا يوجد حد|ساعتين|يومين|شهرين|سنتين|असीमित|मुफ्त|फ्री)${END}`,
    'u',
  ),
  phone:
    /\+?\d[\d\s()-]{6,18}\d|(?:call|dial|phone|tel|hotline|whatsapp|اتصل|هاتف|واتساب|الرقم|फोन|डायल|कॉल)(?![\p{L}\p{M}])\D{0,30}\d{3,}|\d{3,}\D{0,12}(?:पर फोन|डायल|पर कॉल)/u,
  email: /\S@\S+\.\S/u,
  url: /https?:|www\.|\.(?:com|qa|in|org|net)\b/u,
  place: any(
    'street|st|road|lane|drive|quay|alley|square|boulevard|yard|unit \\d+|online|app|website|kiosks?|airport|campus|arrivals|behind|terrace|garden|outside|inside|indoors|outdoors|roof|rooftop|made in|origin|there only|hall|rd|avenue|floor|ground|tower|building|mall|district|zone|block|opposite|next to|near|beside|behind|corner|located|basement|lobby|gate|address|upstairs|downstairs|between|room \\d+|counter|desk|city|highway|plaza|square|level|entrance|market|souq|hall|station|in front|at the|with the porter|wing',
    '(?:و|ب|في )?شارع|طريق|(?:ال)?طابق|(?:ب|ال|بال)?دور|برج|مبني|مجمع|مول|سوق|مقابل|بجانب|بجوار|خلف|قرب|امام|العنوان|عنوان|حي|منطقه|ميدان|دوار|كورنيش|الكورنيش|بوابه|القبو|الارضي|(?:ال)?تطبيق|(?:ال)?موقع|محطه|مطار|المطار|الصاله|مدخل|بنايه|محل رقم|منشاه?|صنع في|يقع|تقع',
    'रोड|मार्ग|सड़क|गली|चौराहे|चौक|चौराहा|मंजिल|तल|भूतल|भवन|इमारत|के पास|के सामने|बगल|पता|नगर|बाजार|स्थित|परिसर|काउंटर|ब्लॉक|सेक्टर|गेट|मॉल|स्टेशन|पीछे|ऐप|वेबसाइट|शाखा|अंदर|सामने|कॉलोनी',
  ),
  measure: new RegExp(
    `${AROUND}${NUMBER}\\s?(?:kg|kilo(?:gram)?s?|g|grams?|l|lit(?:re|er)s?|ml|cm|mm|m|m2|m²|met(?:re|er)s?|km|kilomet(?:re|er)s?|inch(?:es)?|"|gb|mb|tb|mbps|gbps|kbps|w|watts?|v|mah|sqm|square|pages?|people|persons?|seats?|guests?|cars?|كجم|كيلو(?:جرام|غرام|متر)?|جرام|غرام|لترا?|مترا?|م²|م2|سم|جيجا(?:بايت)?|ميجا|واط|شخصا?|اشخاص|سياره|किलो(?:ग्राम|मीटर)?|ग्राम|लीटर|मीटर|सेमी|जीबी|एमबी|एमबीपीएस|वाट|सीटें|सीट|लोग)${END}`,
    'u',
  ),
  condition: any(
    'if|above|over|more than|orders? of|at least|unless|provided|once|as soon as|when',
    'اذا|فوق|اكثر من|عند|عندما|تزيد|بشرط|ما لم|في حال|حين',
    'अगर|यदि|से ज्यादा|से अधिक|से ऊपर|होने पर|कम से कम|जब',
  ),
  percent: /\d\s?(?:%|percent|per cent|بالميه|प्रतिशत)/u,
};
