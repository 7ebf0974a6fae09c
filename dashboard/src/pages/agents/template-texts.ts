import { defineTexts } from '../../language/texts.tsx';

export const templateTexts = defineTexts(
  {
    begin: 'Begin with',
    none: 'Nothing',
    none_hint: 'An empty agent.',
    shop: 'Online shop',
    shop_hint: 'Delivery, returns, payment. Complaints go to a person.',
    clinic: 'Clinic',
    clinic_hint: 'Hours, insurance, requests for appointments. Urgent matters go to a person.',
    lettings: 'Lettings',
    lettings_hint: 'Rent, deposit, viewings. Urgent repairs go to a person.',
    help_desk: 'IT help desk',
    help_desk_hint: 'Passwords, network, devices, tickets. Security incidents go to a person.',
  },
  {
    begin: 'البداية من',
    none: 'لا شيء',
    none_hint: 'وكيل فارغ.',
    shop: 'متجر إلكتروني',
    shop_hint: 'التوصيل والإرجاع والدفع. تذهب الشكاوى إلى شخص.',
    clinic: 'عيادة',
    clinic_hint: 'ساعات العمل والتأمين وطلبات المواعيد. يذهب العاجل إلى شخص.',
    lettings: 'تأجير مساكن',
    lettings_hint: 'الإيجار والتأمين والمعاينة. تذهب الأعطال العاجلة إلى شخص.',
    help_desk: 'مكتب مساعدة تقنية',
    help_desk_hint: 'كلمات المرور والشبكة والأجهزة والتذاكر. تذهب الحوادث الأمنية إلى شخص.',
  },
);
