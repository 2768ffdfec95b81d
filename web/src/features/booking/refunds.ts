/** Until when a guest who cancels gets the payment back. */
export function refundRule({ refund_hours: hours = 24 }: { refund_hours?: number | undefined }): string {
  if (hours === 0) return 'You get it back if you cancel before it begins.'
  const before = hours % 24 === 0 ? count(hours / 24, 'day') : count(hours, 'hour')
  return `You get it back if you cancel at least ${before} before.`
}
const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`
