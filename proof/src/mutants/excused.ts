/** Guards that no test can see go, each with the reason why the product behaves the same without it. */
export const excused: { file: string; text: string; why: string }[] = []
