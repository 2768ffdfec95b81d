import { saleRefunded, saleSettled } from '@operon/contracts/billing/selling-events'
import * as contract from '@operon/contracts/crm/booking'
import { bookingMail, bookingReminders, bookingText, payBookingBack } from '@operon/contracts/crm/events'
import type { Ctx } from '@operon/kit/context'
import { serve, serveRaw } from '@operon/kit/http'
import type { Mailer } from '@operon/kit/mail/mailer'
import type { Texter } from '@operon/kit/mail/texts'
import type { Runtime } from '@operon/kit/service'
import { sendReminders, sendTextReminders } from '../calendar/reminders.ts'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { book } from './book.ts'
import { payBack, payBooking } from './checkout.ts'
import { cancelBooking, readHeld, rescheduleBooking, showBooking } from './held.ts'
import { invitationOf } from './invitation.ts'
import { bookingIdIn, manageUrl } from './links.ts'
import { sendBookingMail } from './mail.ts'
import { listSlots, showBookingPage } from './offers.ts'
import { bookPaid, keepRefund, sweepPayments } from './payments.ts'
import { sendBookingText } from './text.ts'

export function bookingRoutes(rt: Runtime<CrmDb, Config>, mailer: Mailer, texter: Texter) {
  const { app, kit, vault } = rt
  serve(app, contract.showBookingPage, (ctx, input) => showBookingPage(ctx, input, texter))
  serve(app, contract.listSlots, listSlots)
  serve(app, contract.book, (ctx, input) => book(ctx, input, rt, texter))
  serve(app, contract.payBooking, (ctx, input) => payBooking(ctx, input, rt))
  serve(app, contract.showBooking, (ctx, input) => showBooking(ctx, input, rt))
  serve(app, contract.cancelBooking, (ctx, input) => cancelBooking(ctx, input, rt))
  serve(app, contract.rescheduleBooking, (ctx, input) => rescheduleBooking(ctx, input, rt))
  serveRaw(app, contract.bookingFile, async (ctx, { token }, reply) => {
    const booking = await readHeld((ctx as Ctx<CrmDb>).db, bookingIdIn(vault, token))
    const url = manageUrl(kit.PUBLIC_URL, vault, booking.id)
    const { content } = invitationOf(booking, { product: kit.PRODUCT_NAME, sender: mailer.sender(), url, guest: '' })
    return reply
      .type('text/calendar; charset=utf-8')
      .header('content-disposition', 'attachment; filename="booking.ics"')
      .header('cache-control', 'no-store')
      .send(content)
  })
}

export function bookingJobs(rt: Runtime<CrmDb, Config>, mailer: Mailer, texter: Texter) {
  rt.job(bookingMail, sendBookingMail(rt, mailer))
  rt.job(bookingText, sendBookingText(rt, texter))
  const everyMinute = async (ctx: Ctx<CrmDb>) => {
    await sendReminders(ctx)
    await sendTextReminders(ctx)
    await sweepPayments(ctx)
  }
  rt.job(bookingReminders, everyMinute, { everyMs: 60_000 })
  rt.job(payBookingBack, (ctx, { payload }) => payBack(ctx, rt, payload))
  rt.on(saleSettled, 'book-paid', async (trx, { payload }) => {
    if (payload.kind === 'booking') await bookPaid(trx, payload)
  })
  rt.on(saleRefunded, 'booking-paid-back', async (trx, { payload }) => {
    if (payload.kind === 'booking') await keepRefund(trx, payload)
  })
}
