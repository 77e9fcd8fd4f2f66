import type { Hono } from 'hono';
import type { Deps } from '../../../control/process/deps.ts';
import { type DoctorPorts, createDoctor } from '../control/create-doctor.ts';
import { diagnosisRoutes } from './diagnosis-routes.ts';

/** What the doctor of a process finds, under /muster/v1. */
export const doctorRoutes = ({ deps, ...ports }: DoctorPorts & { readonly deps: Deps }): Hono =>
  diagnosisRoutes(createDoctor(ports, deps));
