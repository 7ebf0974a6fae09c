import { describe, expect, it } from 'vitest';
import { asciiDigits, foldText, wordsOf } from './fold-text.ts';
import { stemWord } from './stem-word.ts';

const spellings = (...words: string[]): number => new Set(words.map(foldText)).size;
const stems = (...words: string[]): number => new Set(words.map((word) => stemWord(foldText(word)))).size;

describe('folding', () => {
  it('the spellings of Arabic are unified', () => {
    expect(spellings('إلى', 'الى', 'إلي')).toBe(1);
    expect(spellings('المدرسة', 'المدرسه', 'المَدْرَسَةُ', 'المـدرسة')).toBe(1);
    expect(spellings('أسعار', 'اسعار', 'إسعار')).toBe(1);
  });

  it('the spellings of Hindi are unified', () => {
    expect(spellings('हिन्दी', 'हिंदी', 'हिँदी')).toBe(1);
    expect(spellings('फ़ीस', 'फीस', 'फ\u093cीस')).toBe(1);
    expect(spellings('गये', 'गए')).toBe(1);
  });

  it('digits, accents, cases and invisible marks are unified', () => {
    expect(spellings('12 Cafés', '١٢ cafes', '۱۲ CAFES', '१२ ca\u200dfe\u200bs')).toBe(1);
    expect(asciiDigits('٣٠٠٠ १२')).toBe('3000 12');
  });

  it('text is split into words, but decimals and times stay whole', () => {
    expect(wordsOf(foldText("Don't pay 1.5, come at ٨:٣٠!"))).toEqual(["don't", 'pay', '1.5', 'come', 'at', '8:30']);
  });
});

describe('stems', () => {
  it('the forms of an English word have one stem', () => {
    expect(stems('cancel', 'cancelled', 'cancels', 'cancellation')).toBe(1);
    expect(stems('refund', 'refunds', 'refunded', 'refundable')).toBe(1);
    expect(stems('room', 'rooms', "room's")).toBe(1);
  });

  it('an Arabic word has the same stem with its article, prepositions and endings', () => {
    expect(stems('توصيل', 'التوصيل', 'والتوصيل', 'للتوصيل', 'بالتوصيل', 'توصيلكم')).toBe(1);
    expect(stems('مجانًا', 'مجانا', 'مجاني')).toBe(1);
  });

  it('the cases of a Hindi word have one stem, but girl and boy have different stems', () => {
    expect(stems('दुकान', 'दुकानें', 'दुकानों')).toBe(1);
    expect(stems('खुलता', 'खुलती', 'खुलने')).toBe(1);
    expect(stemWord(foldText('लड़कियों'))).not.toBe(stemWord(foldText('लड़कों')));
  });
});
