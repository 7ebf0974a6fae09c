import { defineTexts } from '../../../language/texts.tsx';

export const memberHelpTexts = defineTexts(
  {
    title: 'Help for members',
    hint: 'In conversations, the model of the agent helps members who answer. Each call has a cost and counts in the budgets of the agent.',
    summary: 'Summary at a hand-off',
    summary_hint: 'Each summary costs one call, when the first member opens the conversation.',
    draft: 'Drafted answers',
    draft_hint: 'Each draft costs one call. Without a model, the draft is the best passage of the documents.',
    translation: 'Translation',
    translation_hint: 'Each message that a member translates costs one call.',
    saved: 'The help for members is saved.',
    admins: 'Owners and admins choose which help members get.',
  },
  {
    title: 'مساعدة الأعضاء',
    hint: 'في المحادثات، يساعد نموذج الوكيل الأعضاء الذين يجيبون. لكل استدعاء تكلفة تُحسب في ميزانيات الوكيل.',
    summary: 'ملخص عند التسليم',
    summary_hint: 'استدعاء واحد عندما يفتح أول عضو المحادثة.',
    draft: 'صياغة الردود',
    draft_hint: 'استدعاء لكل مسودة. بدونه تكون المسودة أفضل مقطع من المستندات.',
    translation: 'الترجمة',
    translation_hint: 'استدعاء لكل رسالة يترجمها عضو.',
    saved: 'حُفظت مساعدة الأعضاء.',
    admins: 'يختار المالكون والمشرفون المساعدة.',
  },
);
