import { defineTexts } from '../language/texts.tsx';

/** Texts about segments, which are named filters of end users. */
export const segmentTexts = defineTexts(
  {
    segment: 'Segment',
    choose: 'Choose a segment',
    save: 'Save as segment',
    save_title: 'Save these filters as a segment',
    name: 'Name of the segment',
    saved: 'The segment is saved.',
    remove: 'Delete the segment “{name}”',
    remove_title: 'Delete this segment?',
    remove_words: '“{name}” is deleted for all members. The people stay, and so do the recipients of campaigns.',
    remove_act: 'Delete',
    removed: 'The segment is deleted.',
  },
  {
    segment: 'الشريحة',
    choose: 'اختر شريحة',
    save: 'حفظ كشريحة',
    save_title: 'حفظ عوامل التصفية هذه كشريحة',
    name: 'اسم الشريحة',
    saved: 'حُفظت الشريحة.',
    remove: 'حذف الشريحة “{name}”',
    remove_title: 'حذف هذه الشريحة؟',
    remove_words: 'تُحذف “{name}” لكل الأعضاء. يبقى الأشخاص ومستلمو الحملات.',
    remove_act: 'حذف',
    removed: 'حُذفت الشريحة.',
  },
);
