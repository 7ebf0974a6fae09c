import { Type, type Static, type TSchema } from 'typebox';

/** `survey`: the person rates the whole conversation. `answer`: the person rates one answer of the agent. */
export const RATING_KINDS = ['survey', 'answer'] as const;
export type RatingKind = (typeof RATING_KINDS)[number];

/** The scores of a survey are 1 to 5. The score of an answer is 1 (good) or -1 (bad). */
export const MAX_RATING_COMMENT = 1_000;
/** Line breaks and tabs are the only control characters of a comment. */
export const RATING_COMMENT = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$';
/** The first text of the person within this time after the score is the comment. */
export const COMMENT_MINUTES = 10;
/** After this time, an answer to the question is a normal message. */
export const SURVEY_DAYS = 7;

/** The kinds of channels on which an agent can ask for ratings. */
export const SURVEY_CHANNELS = [
  'sandbox',
  'web_chat',
  'whatsapp',
  'telegram',
  'sms',
  'slack',
  'email',
  'webhook',
] as const;

type SurveyTexts = { question: string; /** The scores from the worst to the best. */ scores: string[]; thanks: string };

/** The default texts of a survey, if the author wrote no texts. The English texts are used for other languages. */
export const SURVEY_TEXTS: Readonly<Record<'en' | 'ar' | 'hi', SurveyTexts>> = {
  en: {
    question: 'How was this conversation?',
    scores: ['Very bad', 'Bad', 'Okay', 'Good', 'Very good'],
    thanks: 'Thank you. If you want to add a comment, write it in your next message.',
  },
  ar: {
    question: 'كيف كانت هذه المحادثة؟',
    scores: ['سيئة جدًا', 'سيئة', 'مقبولة', 'جيدة', 'جيدة جدًا'],
    thanks: 'شكرًا لك. إذا أردت إضافة تعليق، فاكتبه في رسالتك التالية.',
  },
  hi: {
    question: 'यह बातचीत कैसी रही?',
    scores: ['बहुत ख़राब', 'ख़राब', 'ठीक', 'अच्छी', 'बहुत अच्छी'],
    thanks: 'धन्यवाद। यदि आप टिप्पणी जोड़ना चाहें, तो उसे अपने अगले संदेश में लिखें।',
  },
};

/** The part of a definition that asks for a rating. */
export const surveyOf = <Text extends TSchema>(text: Text) =>
  Type.Object(
    {
      question: Type.Optional(text),
      thanks: Type.Optional(text),
      channels: Type.Optional(
        Type.Array(Type.Enum([...SURVEY_CHANNELS]), {
          minItems: 1,
          maxItems: SURVEY_CHANNELS.length,
          uniqueItems: true,
          description: 'The kinds of channels on which the question is sent. Absent: all.',
        }),
      ),
    },
    { additionalProperties: false, description: 'Asks the person for a rating when the conversation is resolved.' },
  );

/** The rating that a person gave a conversation. */
export const SurveyRating = Type.Object(
  {
    score: Type.Integer({ minimum: 1, maximum: 5 }),
    comment: Type.Union([Type.String(), Type.Null()]),
    rated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'SurveyRating' },
);
export type SurveyRating = Static<typeof SurveyRating>;
