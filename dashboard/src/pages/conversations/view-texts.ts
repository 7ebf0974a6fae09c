import { defineTexts } from '../../language/texts.tsx';

export const viewTexts = defineTexts(
  {
    save: 'Save view',
    save_title: 'Save these filters as a view',
    name: 'Name',
    share: 'Show the view to all members',
    saved: 'The view is saved.',
    remove: 'Delete view',
    remove_title: 'Delete this view?',
    remove_own: 'The view {name} is deleted. The conversations stay.',
    remove_shared: 'The view {name} is deleted for all members. The conversations stay.',
    remove_act: 'Delete view',
    removed: 'The view is deleted.',
    shared: 'shared',
  },
  {
    save: 'حفظ طريقة العرض',
    save_title: 'حفظ عوامل التصفية هذه كطريقة عرض',
    name: 'الاسم',
    share: 'إظهار العرض لكل الأعضاء',
    saved: 'حُفظت طريقة العرض.',
    remove: 'حذف طريقة العرض',
    remove_title: 'حذف طريقة العرض هذه؟',
    remove_own: 'تُحذف طريقة العرض {name}. تبقى المحادثات.',
    remove_shared: 'تُحذف طريقة العرض {name} لدى كل الأعضاء. تبقى المحادثات.',
    remove_act: 'حذف طريقة العرض',
    removed: 'حُذفت طريقة العرض.',
    shared: 'مشتركة',
  },
);
