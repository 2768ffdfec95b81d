import * as appointment from '@operon/contracts/crm/appointments'
import * as calendar from '@operon/contracts/crm/calendar'
import { serve } from '@operon/kit/http'
import type { Texter } from '@operon/kit/mail/texts'
import type { Runtime } from '@operon/kit/service'
import type { CrmDb } from '../schema.ts'
import * as appointments from './appointments.ts'
import { saveAvailability, showAvailability } from './availability.ts'
import { createEventType, deleteEventType, listEventTypes, updateEventType } from './eventTypes.ts'

export function calendarRoutes(rt: Runtime<CrmDb>, texter: Texter) {
  const { app } = rt
  serve(app, calendar.showAvailability, showAvailability)
  serve(app, calendar.saveAvailability, saveAvailability)
  serve(app, calendar.listEventTypes, (ctx) => listEventTypes(ctx, rt, texter))
  serve(app, calendar.createEventType, (ctx, input) => createEventType(ctx, input, rt, texter))
  serve(app, calendar.updateEventType, (ctx, input) => updateEventType(ctx, input, rt, texter))
  serve(app, calendar.deleteEventType, deleteEventType)
  serve(app, appointment.listAppointments, appointments.listAppointments)
  serve(app, appointment.createAppointment, appointments.createAppointment)
  serve(app, appointment.deleteAppointment, appointments.deleteAppointment)
  serve(app, appointment.moveAppointment, appointments.moveAppointment)
  serve(app, appointment.editAppointment, appointments.editAppointment)
  serve(app, appointment.cancelAppointment, appointments.cancelAppointment)
  serve(app, appointment.answerBooking, appointments.answerBooking)
  serve(app, appointment.markNoShow, appointments.markNoShow)
}
