import type { Step } from '../../../contract/agents.ts';

/**
 * Default texts of the agent in English, Arabic and Hindi. The default texts replace texts that the author has not
 * written. Variables in the texts have the Mustache form. A conversation in any other language uses the English texts.
 */
export type BuiltIn = {
  opening: string;
  greeting: string;
  thanks: string;
  farewell: string;
  acknowledged: string;
  dont_know: string;
  /** The text before the names of up to three sections, at least one of which may answer. */
  which_of_these: string;
  /** The choice for a person who means none of the offered sections. */
  something_else: string;
  file_received: string;
  hand_off: string;
  opted_out: string;
  skip_hint: string;
  cannot_skip: string;
  summary: string;
  completed: string;
  yes: string;
  no: string;
  skipped: string;
  /** The reasons why an answer was not accepted. The texts may contain `{{min}}`, `{{max}}` and `{{choices}}`. */
  faults: Record<AnswerFault, string>;
};

export type AnswerFault =
  | Step['type']
  | 'too_small'
  | 'too_large'
  | 'too_short'
  | 'too_long'
  | 'too_early'
  | 'too_late'
  | 'empty';

export const builtInTexts = (language: string | null): BuiltIn =>
  (language !== null && Object.hasOwn(TEXTS, language) ? TEXTS[language] : undefined) ?? TEXTS['en']!;

const TEXTS: Record<string, BuiltIn> = {
  en: {
    opening: 'Hello{{#end_user.name}} {{end_user.name}}{{/end_user.name}}, I am {{agent.name}}. How can I help you?',
    greeting: 'Hello! How can I help you?',
    thanks: 'You are welcome. Is there anything else?',
    farewell: 'Goodbye, and thank you for writing.',
    acknowledged: 'Good. Write to me if you have another question.',
    dont_know: 'I am sorry, I do not know the answer to that.',
    file_received: 'Thank you. I cannot open pictures and files. Please tell me in words how I can help.',
    which_of_these: 'I am not certain. Which of these do you mean?',
    something_else: 'Something else',
    hand_off: 'I am handing you over to a colleague, who will answer you here.',
    opted_out: 'You will not receive any more messages from us.',
    skip_hint: 'Write "skip" to leave this out.',
    cannot_skip: 'I need this answer to continue.',
    summary: 'Thank you. This is what I noted:',
    completed: 'Thank you, that is all.',
    yes: 'Yes',
    no: 'No',
    skipped: '–',
    faults: {
      text: 'I did not understand that.',
      choice: 'Please choose one of: {{choices}}.',
      number: 'Please answer with a number.',
      date: 'Please answer with a date, for example 2026-11-21 or 21 November.',
      phone:
        'That does not look like a phone number. Please write it with its country code, for example +974 3000 0000.',
      email: 'That does not look like an e-mail address.',
      yes_no: 'Please answer yes or no.',
      too_small: 'It must be at least {{min}}.',
      too_large: 'It can be at most {{max}}.',
      too_short: 'Please write at least {{min}} characters.',
      too_long: 'Please write at most {{max}} characters.',
      too_early: 'The earliest possible date is {{min}}.',
      too_late: 'The latest possible date is {{max}}.',
      empty: 'I did not get an answer.',
    },
  },
  ar: {
    opening: 'مرحبًا{{#end_user.name}} {{end_user.name}}{{/end_user.name}}، أنا {{agent.name}}. كيف يمكنني مساعدتك؟',
    greeting: 'أهلًا وسهلًا! كيف يمكنني مساعدتك؟',
    thanks: 'على الرحب والسعة. هل هناك شيء آخر؟',
    farewell: 'مع السلامة، وشكرًا لتواصلك معنا.',
    acknowledged: 'حسنًا. اكتب لي إن كان لديك سؤال آخر.',
    dont_know: 'عذرًا، لا أعرف الجواب عن هذا السؤال.',
    file_received: 'شكرًا لك. لا أستطيع فتح الصور والملفات. أخبرني بالكلمات كيف أساعدك.',
    which_of_these: 'لست متأكدًا. أي من هذه تقصد؟',
    something_else: 'شيء آخر',
    hand_off: 'سأحوّلك إلى أحد زملائنا، وسيرد عليك هنا.',
    opted_out: 'لن تصلك رسائل منا بعد الآن.',
    skip_hint: 'اكتب «تخطي» لتجاوز هذا السؤال.',
    cannot_skip: 'أحتاج إلى هذا الجواب كي نتابع.',
    summary: 'شكرًا لك. هذا ما سجلته:',
    completed: 'شكرًا لك، هذا كل شيء.',
    yes: 'نعم',
    no: 'لا',
    skipped: '–',
    faults: {
      text: 'لم أتمكن من قراءة ذلك.',
      choice: 'من فضلك اختر واحدًا من: {{choices}}.',
      number: 'من فضلك أجب برقم.',
      date: 'من فضلك أجب بتاريخ، مثل 2026-11-21 أو 21 نوفمبر.',
      phone: 'هذا لا يبدو رقم هاتف. من فضلك اكتبه مع رمز الدولة، مثل ‎+974 3000 0000.',
      email: 'هذا لا يبدو عنوان بريد إلكتروني.',
      yes_no: 'من فضلك أجب بنعم أو لا.',
      too_small: 'يجب ألا يقل عن {{min}}.',
      too_large: 'يجب ألا يزيد على {{max}}.',
      too_short: 'من فضلك اكتب {{min}} أحرف على الأقل.',
      too_long: 'من فضلك اكتب {{max}} حرفًا على الأكثر.',
      too_early: 'أقرب تاريخ ممكن هو {{min}}.',
      too_late: 'أبعد تاريخ ممكن هو {{max}}.',
      empty: 'لم يصلني جواب.',
    },
  },
  hi: {
    opening:
      'नमस्ते{{#end_user.name}} {{end_user.name}}{{/end_user.name}}, मैं {{agent.name}} हूँ। मैं आपकी क्या मदद कर सकता हूँ?',
    greeting: 'नमस्ते! मैं आपकी क्या मदद कर सकता हूँ?',
    thanks: 'आपका स्वागत है। क्या और कुछ जानना है?',
    farewell: 'अलविदा, संपर्क करने के लिए धन्यवाद।',
    acknowledged: 'ठीक है। कोई और सवाल हो तो लिखें।',
    dont_know: 'माफ़ कीजिए, मुझे इसका जवाब नहीं पता।',
    file_received: 'धन्यवाद। मैं चित्र और फ़ाइलें नहीं खोल सकता। कृपया शब्दों में बताइए, मैं कैसे मदद करूँ?',
    which_of_these: 'मुझे पक्का नहीं पता। आप इनमें से किसके बारे में पूछ रहे हैं?',
    something_else: 'कुछ और',
    hand_off: 'मैं आपको हमारे एक सहकर्मी से जोड़ रहा हूँ, वे आपको यहीं जवाब देंगे।',
    opted_out: 'अब आपको हमारी ओर से संदेश नहीं मिलेंगे।',
    skip_hint: 'इसे छोड़ने के लिए "छोड़ें" लिखें।',
    cannot_skip: 'आगे बढ़ने के लिए मुझे यह जवाब चाहिए।',
    summary: 'धन्यवाद। मैंने यह नोट किया है:',
    completed: 'धन्यवाद, बस इतना ही।',
    yes: 'हाँ',
    no: 'नहीं',
    skipped: '–',
    faults: {
      text: 'मैं इसे पढ़ नहीं पाया।',
      choice: 'कृपया इनमें से एक चुनें: {{choices}}।',
      number: 'कृपया एक संख्या लिखें।',
      date: 'कृपया तारीख लिखें, जैसे 2026-11-21 या 21 नवंबर।',
      phone: 'यह फ़ोन नंबर नहीं लगता। कृपया देश कोड के साथ लिखें, जैसे +91 98765 43210।',
      email: 'यह ईमेल पता नहीं लगता।',
      yes_no: 'कृपया हाँ या नहीं में जवाब दें।',
      too_small: 'यह कम से कम {{min}} होना चाहिए।',
      too_large: 'यह ज़्यादा से ज़्यादा {{max}} हो सकता है।',
      too_short: 'कृपया कम से कम {{min}} अक्षर लिखें।',
      too_long: 'कृपया ज़्यादा से ज़्यादा {{max}} अक्षर लिखें।',
      too_early: 'सबसे पहली संभव तारीख {{min}} है।',
      too_late: 'सबसे बाद की संभव तारीख {{max}} है।',
      empty: 'मुझे कोई जवाब नहीं मिला।',
    },
  },
};
