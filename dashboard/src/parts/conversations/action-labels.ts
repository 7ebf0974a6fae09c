import { defineTexts } from '../../language/texts.tsx';

export const actionTexts = defineTexts(
  {
    add_tags: 'tag {tags}',
    assign_me: 'assign to the sender',
    assign_to: 'assign to {name}',
    former: 'a former member',
    resolve: 'resolve',
  },
  {
    add_tags: 'إضافة الوسم {tags}',
    assign_me: 'الإسناد إلى المرسل',
    assign_to: 'الإسناد إلى {name}',
    former: 'عضو سابق',
    resolve: 'الإغلاق',
  },
);
