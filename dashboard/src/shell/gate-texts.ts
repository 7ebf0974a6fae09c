import { defineTexts } from '../language/texts.tsx';

/**
 * Texts for people who cannot open an organization yet. Few people see the texts of the gate, so no first load contains
 * them.
 */
export const gateTexts = defineTexts(
  {
    organization_name: 'Organization name',
    create: 'Create organization',
    new_organization_hint:
      'Only members see the agents, keys and conversations of an organization. A new organization starts on the Free plan.',
    no_organization: 'You are not a member of an organization',
    no_organization_hint: 'Ask for an invitation link, or create your own organization.',
    held_back: '{organization} requires a second factor',
    held_back_hint: 'Set up a second factor to continue here. You can still open your other organizations.',
    held_back_act: 'Set up a second factor',
    held_back_provider:
      'The provider did not ask you for a second factor. Sign out, then sign in at the provider with a second factor.',
  },
  {
    organization_name: 'اسم المؤسسة',
    create: 'إنشاء المؤسسة',
    new_organization_hint: 'لا يرى وكلاء المؤسسة ومفاتيحها ومحادثاتها إلا أعضاؤها. تبدأ المؤسسة الجديدة بالخطة المجانية.',
    no_organization: 'لست عضوًا في أي مؤسسة',
    no_organization_hint: 'اطلب رابط دعوة، أو أنشئ مؤسسة خاصة بك.',
    held_back: 'تشترط {organization} عامل تحقق ثانيًا',
    held_back_hint: 'أعدّ واحدًا للمتابعة هنا. تبقى مؤسساتك الأخرى مفتوحة.',
    held_back_act: 'إعداد عامل تحقق ثانٍ',
    held_back_provider: 'لم يطلبه منك مزوّد مؤسستك. سجّل خروجك، ثم سجّل الدخول هناك بعامل ثانٍ.',
  },
);
