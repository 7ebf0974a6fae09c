import type { ChatLanguage } from '../../contract/chat.ts';

const en = {
  title: 'Chat with us',
  greeting: 'Hello! How can we help?',
  open: 'Open chat',
  close: 'Close chat',
  unread: '{n} unread',
  log: 'Conversation',
  suggestions: 'Suggested questions',
  message: 'Your message',
  placeholder: 'Write a message…',
  send: 'Send',
  attach: 'Attach a file',
  file_size: 'Files can have up to 10 MB.',
  earlier: 'Earlier messages',
  earlier_failed: 'The messages could not be loaded. Try again.',
  you: 'You:',
  agent: 'Assistant:',
  member: 'Team:',
  joined: '{name} joined the chat',
  new_messages: 'New messages',
  typing: 'Typing…',
  sending: 'Sending…',
  waiting: 'Waiting for the connection',
  failed: 'Not sent.',
  again: 'Try again',
  sources: 'Sources ({n})',
  connecting: 'Connecting…',
  offline: 'No connection. Your messages are sent when the connection is back.',
  closed: 'This chat is not available at the moment.',
  full: 'Too many unsent messages. Try again after the messages are sent.',
  arrived: 'New message',
  image: 'Image',
  audio: 'Audio',
  video: 'Video',
  file: 'File',
  location: 'Location',
  rate_answer: 'Rate this answer',
  good: 'Good answer',
  bad: 'Bad answer',
  comment: 'Comment (optional)',
  thanks: 'Thank you for your rating.',
  thanks_comment: 'Thank you for your comment.',
};

export type Words = typeof en;

const ar: Words = {
  title: 'تحدّث معنا',
  greeting: 'مرحبًا! كيف يمكننا مساعدتك؟',
  open: 'فتح الدردشة',
  close: 'إغلاق الدردشة',
  unread: 'غير مقروءة: {n}',
  log: 'المحادثة',
  suggestions: 'أسئلة مقترحة',
  message: 'رسالتك',
  placeholder: 'اكتب رسالة…',
  send: 'إرسال',
  attach: 'إرفاق ملف',
  file_size: 'حجم الملف حتى 10 ميغابايت.',
  earlier: 'رسائل أقدم',
  earlier_failed: 'تعذّر تحميل الرسائل. حاول مجددًا.',
  you: 'أنت:',
  agent: 'المساعد:',
  member: 'الفريق:',
  joined: 'انضمّ {name} إلى الدردشة',
  new_messages: 'رسائل جديدة',
  typing: 'يكتب الآن…',
  sending: 'جارٍ الإرسال…',
  waiting: 'بانتظار الاتصال',
  failed: 'لم تُرسل.',
  again: 'إعادة المحاولة',
  sources: 'المصادر ({n})',
  connecting: 'جارٍ الاتصال…',
  offline: 'لا يوجد اتصال. سيُرسل ما تكتبه فور عودته.',
  closed: 'هذه الدردشة غير متاحة حاليًا.',
  full: 'رسائل كثيرة تنتظر الإرسال. حاول مجددًا بعد إرسالها.',
  arrived: 'رسالة جديدة',
  image: 'صورة',
  audio: 'مقطع صوتي',
  video: 'مقطع فيديو',
  file: 'ملف',
  location: 'مكان على الخريطة',
  rate_answer: 'قيّم هذا الجواب',
  good: 'جواب جيد',
  bad: 'جواب سيئ',
  comment: 'تعليق (اختياري)',
  thanks: 'شكرًا على تقييمك.',
  thanks_comment: 'شكرًا على تعليقك.',
};

const hi: Words = {
  title: 'हमसे बात करें',
  greeting: 'नमस्ते! हम आपकी क्या मदद कर सकते हैं?',
  open: 'चैट खोलें',
  close: 'चैट बंद करें',
  unread: '{n} अपठित',
  log: 'बातचीत',
  suggestions: 'सुझाए गए प्रश्न',
  message: 'आपका संदेश',
  placeholder: 'संदेश लिखें…',
  send: 'भेजें',
  attach: 'फ़ाइल जोड़ें',
  file_size: 'फ़ाइल 10 MB तक की हो सकती है।',
  earlier: 'पुराने संदेश',
  earlier_failed: 'संदेश लोड नहीं हो सके। फिर कोशिश करें।',
  you: 'आप:',
  agent: 'सहायक:',
  member: 'टीम:',
  joined: '{name} चैट में शामिल हुए',
  new_messages: 'नए संदेश',
  typing: 'लिख रहे हैं…',
  sending: 'भेजा जा रहा है…',
  waiting: 'कनेक्शन की प्रतीक्षा में',
  failed: 'नहीं भेजा गया।',
  again: 'फिर कोशिश करें',
  sources: 'स्रोत ({n})',
  connecting: 'जोड़ा जा रहा है…',
  offline: 'कनेक्शन नहीं है। आप जो लिखेंगे, वह कनेक्शन आते ही भेज दिया जाएगा।',
  closed: 'यह चैट अभी उपलब्ध नहीं है।',
  full: 'बहुत से संदेश भेजे जाने की प्रतीक्षा में हैं। उनके जाने के बाद फिर कोशिश करें।',
  arrived: 'नया संदेश',
  image: 'चित्र',
  audio: 'ऑडियो',
  video: 'वीडियो',
  file: 'फ़ाइल',
  location: 'नक्शे पर स्थान',
  rate_answer: 'इस जवाब को आँकें',
  good: 'अच्छा जवाब',
  bad: 'ख़राब जवाब',
  comment: 'टिप्पणी (वैकल्पिक)',
  thanks: 'आपकी रेटिंग के लिए धन्यवाद।',
  thanks_comment: 'आपकी टिप्पणी के लिए धन्यवाद।',
};

const all: Record<ChatLanguage, Words> = { en, ar, hi };

export type Speech = { language: ChatLanguage; dir: 'ltr' | 'rtl'; locale: string; words: Words };

const known = (tag: string | null | undefined): ChatLanguage | undefined => {
  const language = tag?.toLowerCase().split('-')[0];
  return language !== undefined && Object.hasOwn(all, language) ? (language as ChatLanguage) : undefined;
};

/**
 * Chooses the language of the script tag, or else of the page, or else of the browser. A right-to-left page keeps its
 * text direction.
 */
export function chooseSpeech(wanted: string | undefined): Speech {
  const page = document.documentElement.lang;
  const chosen = known(wanted) ?? known(page);
  const language = chosen ?? navigator.languages.map(known).find((one) => one !== undefined) ?? 'en';
  const pageRuns = getComputedStyle(document.documentElement).direction;
  const dir = language === 'ar' || (chosen === undefined && pageRuns === 'rtl') ? 'rtl' : 'ltr';
  return { language, dir, locale: wanted || page || language, words: all[language] };
}
