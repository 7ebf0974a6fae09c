import { defineTexts } from '../../language/texts.tsx';

/** Texts about sign-in with the provider of an organization, and the reasons why it fails. */
export const texts = defineTexts(
  {
    with_organization: 'Continue with your organization',
    hint: 'The sign-in page of your organization opens next. Parley finds this page by the domain of your e-mail address.',
    email: 'Work e-mail address',
    go_on: 'Continue',
    with_password: 'Sign in with a password',
    sign_in_expired: 'This sign-in has expired',
    sign_in_expired_hint:
      'A sign-in works once, within 10 minutes, in the browser in which you started it. Please start again.',
    sign_in_refused: 'The provider of your organization refused the sign-in',
    sign_in_refused_hint:
      'Start again. If the sign-in fails again, ask an owner of your organization to check the provider’s settings.',
    sign_in_address_refused: 'This address may not sign in here',
    sign_in_address_refused_hint:
      'The provider must send a verified e-mail address, in a domain that your organization has verified. No other account of the provider may have used this address before.',
    membership_ended: 'You are no longer a member of this organization',
    membership_ended_hint: 'Ask an owner or admin to invite your address; then sign in with your organization again.',
    organization_full: 'The organization has the maximum number of members',
    organization_full_hint: 'Ask an owner or admin to remove a member first.',
    other: 'Sign-in failed',
    other_hint: 'The provider of your organization or this server returned an error. Try again in a minute.',
  },
  {
    with_organization: 'المتابعة عبر مؤسستك',
    hint: 'تُفتح بعد ذلك صفحة تسجيل الدخول الخاصة بمؤسستك. نجدها من الجزء الذي يلي @ في عنوانك.',
    email: 'بريد العمل الإلكتروني',
    go_on: 'متابعة',
    with_password: 'تسجيل الدخول بكلمة مرور',
    sign_in_expired: 'انتهت محاولة تسجيل الدخول هذه',
    sign_in_expired_hint: 'تعمل كل محاولة مرة واحدة خلال 10 دقائق وفي المتصفح الذي بدأت فيه. ابدأ من جديد.',
    sign_in_refused: 'لم يسمح مزوّد مؤسستك بدخولك',
    sign_in_refused_hint: 'ابدأ من جديد. إن تكرر ذلك فاطلب من أحد مالكي مؤسستك مراجعة إعدادات المزوّد.',
    sign_in_address_refused: 'لا يمكن لهذا العنوان تسجيل الدخول هنا',
    sign_in_address_refused_hint:
      'يجب أن يذكر المزوّد بريدًا إلكترونيًا تحقق منه، من نطاق أثبتته المؤسسة، ولم يستخدمه حساب آخر لدى المزوّد من قبل.',
    membership_ended: 'لم تعد عضوًا في هذه المؤسسة',
    membership_ended_hint: 'اطلب من مالك أو مسؤول دعوة عنوانك، ثم سجّل الدخول بالطريقة نفسها.',
    organization_full: 'لا مكان في المؤسسة لأعضاء آخرين',
    organization_full_hint: 'اطلب من مالك أو مسؤول إزالة شخص أولًا.',
    other: 'لم ينجح تسجيل الدخول',
    other_hint: 'أعاد مزوّد مؤسستك أو هذا الخادم خطأ. حاول مجددًا بعد دقيقة.',
  },
);
