/** Whether digits end with the check digit of Luhn, as cards do (ISO/IEC 7812-1). */
export function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/** Whether an account number has the check digits of an IBAN (ISO 13616): its rest by 97 is 1. */
export function passesIban(account: string): boolean {
  const turned = account.slice(4) + account.slice(0, 4);
  const rest = Array.from(turned).reduce((sum, character) => {
    const value = Number.parseInt(character, 36);
    return (sum * (value > 9 ? 100 : 10) + value) % 97;
  }, 0);
  return rest === 1;
}
