// @ts-nocheck: made by "npm run generate"; holds parts of ajv and fast-deep-equal (MIT, Evgeny Poberezkin).
import type { Validator } from '../../language/schema-errors.js';
var D=(u,i)=>()=>{try{return i||u((i={exports:{}}).exports,i),i.exports}catch(A){throw i=0,A}};var O=D(j=>{"use strict";Object.defineProperty(j,"__esModule",{value:!0});function q(u){let i=u.length,A=0,k=0,
w;for(;k<i;)A++,w=u.charCodeAt(k++),w>=55296&&w<=56319&&k<i&&(w=u.charCodeAt(k),(w&64512)===56320&&k++);return A}
j.default=q;q.code='require("ajv/dist/runtime/ucs2length").default'});var M=N,d={$schema:"http://json-schema.org/draft-07/schema#",type:"object",required:["policy","tests"],oneOf:[
{required:["catalog"]},{required:["server"]}],additionalProperties:!1,properties:{policy:{type:["string","arra\
y"],minLength:1,items:{type:"string",minLength:1},minItems:1},catalog:{type:"string",minLength:1},server:{type:[
"string","array"],minLength:1,items:{type:"string",minLength:1},minItems:1},tests:{type:"array",minItems:1,items:{
type:"object",required:["name"],anyOf:[{required:["tools"]},{required:["prompts"]},{required:["resources"]},{required:[
"resourceTemplates"]}],additionalProperties:!1,properties:{name:{type:"string",minLength:1},concerns:{type:["s\
tring","object"]},claims:{type:"object"},client:{type:"object",additionalProperties:!1,properties:{capabilities:{
type:"object"}}},tools:{type:"object",minProperties:1,additionalProperties:!1,properties:{includes:{type:["str\
ing","array"],minLength:1,items:{type:"string",minLength:1}},excludes:{type:["string","array"],minLength:1,items:{
type:"string",minLength:1}},only:{type:["string","array"],minLength:1,items:{type:"string",minLength:1}},count:{
type:"integer",minimum:0}}},prompts:{type:"object",minProperties:1,additionalProperties:!1,properties:{includes:{
type:["string","array"],minLength:1,items:{type:"string",minLength:1}},excludes:{type:["string","array"],minLength:1,
items:{type:"string",minLength:1}},only:{type:["string","array"],minLength:1,items:{type:"string",minLength:1}},
count:{type:"integer",minimum:0}}},resources:{type:"object",minProperties:1,additionalProperties:!1,properties:{
includes:{type:["string","array"],minLength:1,items:{type:"string",minLength:1}},excludes:{type:["string","arr\
ay"],minLength:1,items:{type:"string",minLength:1}},only:{type:["string","array"],minLength:1,items:{type:"str\
ing",minLength:1}},count:{type:"integer",minimum:0}}},resourceTemplates:{type:"object",minProperties:1,additionalProperties:!1,
properties:{includes:{type:["string","array"],minLength:1,items:{type:"string",minLength:1}},excludes:{type:["\
string","array"],minLength:1,items:{type:"string",minLength:1}},only:{type:["string","array"],minLength:1,items:{
type:"string",minLength:1}},count:{type:"integer",minimum:0}}}}}}}},y=O().default;function N(u,{instancePath:i="",
parentData:A,parentDataProperty:k,rootData:w=u}={}){let e=null,r=0,T=r,L=!1,x=null,_=r;if(u&&typeof u=="object"&&
!Array.isArray(u)&&u.catalog===void 0){let a={instancePath:i,schemaPath:"#/oneOf/0/required",keyword:"required",
params:{missingProperty:"catalog"}};e===null?e=[a]:e.push(a),r++}var b=_===r;b&&(L=!0,x=0);let I=r;if(u&&typeof u==
"object"&&!Array.isArray(u)&&u.server===void 0){let a={instancePath:i,schemaPath:"#/oneOf/1/required",keyword:"\
required",params:{missingProperty:"server"}};e===null?e=[a]:e.push(a),r++}var b=I===r;if(b&&L?(L=!1,x=[x,1]):b&&
(L=!0,x=1),L)r=T,e!==null&&(T?e.length=T:e=null);else{let a={instancePath:i,schemaPath:"#/oneOf",keyword:"oneO\
f",params:{passingSchemas:x}};e===null?e=[a]:e.push(a),r++}if(u&&typeof u=="object"&&!Array.isArray(u)){if(u.policy===
void 0){let a={instancePath:i,schemaPath:"#/required",keyword:"required",params:{missingProperty:"policy"}};e===
null?e=[a]:e.push(a),r++}if(u.tests===void 0){let a={instancePath:i,schemaPath:"#/required",keyword:"required",
params:{missingProperty:"tests"}};e===null?e=[a]:e.push(a),r++}for(let a in u)if(!(a==="policy"||a==="catalog"||
a==="server"||a==="tests")){let f={instancePath:i,schemaPath:"#/additionalProperties",keyword:"additionalPrope\
rties",params:{additionalProperty:a}};e===null?e=[f]:e.push(f),r++}if(u.policy!==void 0){let a=u.policy;if(typeof a!=
"string"&&!Array.isArray(a)){let f={instancePath:i+"/policy",schemaPath:"#/properties/policy/type",keyword:"ty\
pe",params:{type:d.properties.policy.type}};e===null?e=[f]:e.push(f),r++}if(typeof a=="string"&&y(a)<1){let f={
instancePath:i+"/policy",schemaPath:"#/properties/policy/minLength",keyword:"minLength",params:{limit:1}};e===
null?e=[f]:e.push(f),r++}if(Array.isArray(a)){if(a.length<1){let p={instancePath:i+"/policy",schemaPath:"#/pro\
perties/policy/minItems",keyword:"minItems",params:{limit:1}};e===null?e=[p]:e.push(p),r++}let f=a.length;for(let p=0;p<
f;p++){let m=a[p];if(typeof m=="string"){if(y(m)<1){let h={instancePath:i+"/policy/"+p,schemaPath:"#/propertie\
s/policy/items/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[h]:e.push(h),r++}}else{let h={instancePath:i+
"/policy/"+p,schemaPath:"#/properties/policy/items/type",keyword:"type",params:{type:"string"}};e===null?e=[h]:
e.push(h),r++}}}}if(u.catalog!==void 0){let a=u.catalog;if(typeof a=="string"){if(y(a)<1){let f={instancePath:i+
"/catalog",schemaPath:"#/properties/catalog/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[f]:e.
push(f),r++}}else{let f={instancePath:i+"/catalog",schemaPath:"#/properties/catalog/type",keyword:"type",params:{
type:"string"}};e===null?e=[f]:e.push(f),r++}}if(u.server!==void 0){let a=u.server;if(typeof a!="string"&&!Array.
isArray(a)){let f={instancePath:i+"/server",schemaPath:"#/properties/server/type",keyword:"type",params:{type:d.
properties.server.type}};e===null?e=[f]:e.push(f),r++}if(typeof a=="string"&&y(a)<1){let f={instancePath:i+"/s\
erver",schemaPath:"#/properties/server/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[f]:e.push(
f),r++}if(Array.isArray(a)){if(a.length<1){let p={instancePath:i+"/server",schemaPath:"#/properties/server/min\
Items",keyword:"minItems",params:{limit:1}};e===null?e=[p]:e.push(p),r++}let f=a.length;for(let p=0;p<f;p++){let m=a[p];
if(typeof m=="string"){if(y(m)<1){let h={instancePath:i+"/server/"+p,schemaPath:"#/properties/server/items/min\
Length",keyword:"minLength",params:{limit:1}};e===null?e=[h]:e.push(h),r++}}else{let h={instancePath:i+"/serve\
r/"+p,schemaPath:"#/properties/server/items/type",keyword:"type",params:{type:"string"}};e===null?e=[h]:e.push(
h),r++}}}}if(u.tests!==void 0){let a=u.tests;if(Array.isArray(a)){if(a.length<1){let p={instancePath:i+"/tests",
schemaPath:"#/properties/tests/minItems",keyword:"minItems",params:{limit:1}};e===null?e=[p]:e.push(p),r++}let f=a.
length;for(let p=0;p<f;p++){let m=a[p],h=r,g=!1,F=r;if(m&&typeof m=="object"&&!Array.isArray(m)&&m.tools===void 0){
let o={instancePath:i+"/tests/"+p,schemaPath:"#/properties/tests/items/anyOf/0/required",keyword:"required",params:{
missingProperty:"tools"}};e===null?e=[o]:e.push(o),r++}var P=F===r;if(g=g||P,!g){let o=r;if(m&&typeof m=="obje\
ct"&&!Array.isArray(m)&&m.prompts===void 0){let t={instancePath:i+"/tests/"+p,schemaPath:"#/properties/tests/i\
tems/anyOf/1/required",keyword:"required",params:{missingProperty:"prompts"}};e===null?e=[t]:e.push(t),r++}var P=o===
r;if(g=g||P,!g){let t=r;if(m&&typeof m=="object"&&!Array.isArray(m)&&m.resources===void 0){let c={instancePath:i+
"/tests/"+p,schemaPath:"#/properties/tests/items/anyOf/2/required",keyword:"required",params:{missingProperty:"\
resources"}};e===null?e=[c]:e.push(c),r++}var P=t===r;if(g=g||P,!g){let c=r;if(m&&typeof m=="object"&&!Array.isArray(
m)&&m.resourceTemplates===void 0){let v={instancePath:i+"/tests/"+p,schemaPath:"#/properties/tests/items/anyOf\
/3/required",keyword:"required",params:{missingProperty:"resourceTemplates"}};e===null?e=[v]:e.push(v),r++}var P=c===
r;g=g||P}}}if(g)r=h,e!==null&&(h?e.length=h:e=null);else{let o={instancePath:i+"/tests/"+p,schemaPath:"#/prope\
rties/tests/items/anyOf",keyword:"anyOf",params:{}};e===null?e=[o]:e.push(o),r++}if(m&&typeof m=="object"&&!Array.
isArray(m)){if(m.name===void 0){let o={instancePath:i+"/tests/"+p,schemaPath:"#/properties/tests/items/require\
d",keyword:"required",params:{missingProperty:"name"}};e===null?e=[o]:e.push(o),r++}for(let o in m)if(!(o==="n\
ame"||o==="concerns"||o==="claims"||o==="client"||o==="tools"||o==="prompts"||o==="resources"||o==="resourceTe\
mplates")){let s={instancePath:i+"/tests/"+p,schemaPath:"#/properties/tests/items/additionalProperties",keyword:"\
additionalProperties",params:{additionalProperty:o}};e===null?e=[s]:e.push(s),r++}if(m.name!==void 0){let o=m.
name;if(typeof o=="string"){if(y(o)<1){let s={instancePath:i+"/tests/"+p+"/name",schemaPath:"#/properties/test\
s/items/properties/name/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[s]:e.push(s),r++}}else{let s={
instancePath:i+"/tests/"+p+"/name",schemaPath:"#/properties/tests/items/properties/name/type",keyword:"type",params:{
type:"string"}};e===null?e=[s]:e.push(s),r++}}if(m.concerns!==void 0){let o=m.concerns;if(typeof o!="string"&&
!(o&&typeof o=="object"&&!Array.isArray(o))){let s={instancePath:i+"/tests/"+p+"/concerns",schemaPath:"#/prope\
rties/tests/items/properties/concerns/type",keyword:"type",params:{type:d.properties.tests.items.properties.concerns.
type}};e===null?e=[s]:e.push(s),r++}}if(m.claims!==void 0){let o=m.claims;if(!(o&&typeof o=="object"&&!Array.isArray(
o))){let s={instancePath:i+"/tests/"+p+"/claims",schemaPath:"#/properties/tests/items/properties/claims/type",
keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(s),r++}}if(m.client!==void 0){let o=m.client;if(o&&
typeof o=="object"&&!Array.isArray(o)){for(let s in o)if(s!=="capabilities"){let t={instancePath:i+"/tests/"+p+
"/client",schemaPath:"#/properties/tests/items/properties/client/additionalProperties",keyword:"additionalProp\
erties",params:{additionalProperty:s}};e===null?e=[t]:e.push(t),r++}if(o.capabilities!==void 0){let s=o.capabilities;
if(!(s&&typeof s=="object"&&!Array.isArray(s))){let t={instancePath:i+"/tests/"+p+"/client/capabilities",schemaPath:"\
#/properties/tests/items/properties/client/properties/capabilities/type",keyword:"type",params:{type:"object"}};
e===null?e=[t]:e.push(t),r++}}}else{let s={instancePath:i+"/tests/"+p+"/client",schemaPath:"#/properties/tests\
/items/properties/client/type",keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(s),r++}}if(m.tools!==
void 0){let o=m.tools;if(o&&typeof o=="object"&&!Array.isArray(o)){if(Object.keys(o).length<1){let s={instancePath:i+
"/tests/"+p+"/tools",schemaPath:"#/properties/tests/items/properties/tools/minProperties",keyword:"minProperti\
es",params:{limit:1}};e===null?e=[s]:e.push(s),r++}for(let s in o)if(!(s==="includes"||s==="excludes"||s==="on\
ly"||s==="count")){let t={instancePath:i+"/tests/"+p+"/tools",schemaPath:"#/properties/tests/items/properties/\
tools/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:s}};e===null?e=[t]:e.push(
t),r++}if(o.includes!==void 0){let s=o.includes;if(typeof s!="string"&&!Array.isArray(s)){let t={instancePath:i+
"/tests/"+p+"/tools/includes",schemaPath:"#/properties/tests/items/properties/tools/properties/includes/type",
keyword:"type",params:{type:d.properties.tests.items.properties.tools.properties.includes.type}};e===null?e=[t]:
e.push(t),r++}if(typeof s=="string"&&y(s)<1){let t={instancePath:i+"/tests/"+p+"/tools/includes",schemaPath:"#\
/properties/tests/items/properties/tools/properties/includes/minLength",keyword:"minLength",params:{limit:1}};
e===null?e=[t]:e.push(t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){let c=s[n];if(typeof c==
"string"){if(y(c)<1){let l={instancePath:i+"/tests/"+p+"/tools/includes/"+n,schemaPath:"#/properties/tests/ite\
ms/properties/tools/properties/includes/items/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[l]:
e.push(l),r++}}else{let l={instancePath:i+"/tests/"+p+"/tools/includes/"+n,schemaPath:"#/properties/tests/item\
s/properties/tools/properties/includes/items/type",keyword:"type",params:{type:"string"}};e===null?e=[l]:e.push(
l),r++}}}}if(o.excludes!==void 0){let s=o.excludes;if(typeof s!="string"&&!Array.isArray(s)){let t={instancePath:i+
"/tests/"+p+"/tools/excludes",schemaPath:"#/properties/tests/items/properties/tools/properties/excludes/type",
keyword:"type",params:{type:d.properties.tests.items.properties.tools.properties.excludes.type}};e===null?e=[t]:
e.push(t),r++}if(typeof s=="string"&&y(s)<1){let t={instancePath:i+"/tests/"+p+"/tools/excludes",schemaPath:"#\
/properties/tests/items/properties/tools/properties/excludes/minLength",keyword:"minLength",params:{limit:1}};
e===null?e=[t]:e.push(t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){let c=s[n];if(typeof c==
"string"){if(y(c)<1){let l={instancePath:i+"/tests/"+p+"/tools/excludes/"+n,schemaPath:"#/properties/tests/ite\
ms/properties/tools/properties/excludes/items/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[l]:
e.push(l),r++}}else{let l={instancePath:i+"/tests/"+p+"/tools/excludes/"+n,schemaPath:"#/properties/tests/item\
s/properties/tools/properties/excludes/items/type",keyword:"type",params:{type:"string"}};e===null?e=[l]:e.push(
l),r++}}}}if(o.only!==void 0){let s=o.only;if(typeof s!="string"&&!Array.isArray(s)){let t={instancePath:i+"/t\
ests/"+p+"/tools/only",schemaPath:"#/properties/tests/items/properties/tools/properties/only/type",keyword:"ty\
pe",params:{type:d.properties.tests.items.properties.tools.properties.only.type}};e===null?e=[t]:e.push(t),r++}
if(typeof s=="string"&&y(s)<1){let t={instancePath:i+"/tests/"+p+"/tools/only",schemaPath:"#/properties/tests/\
items/properties/tools/properties/only/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[t]:e.push(
t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){let c=s[n];if(typeof c=="string"){if(y(c)<1){let l={
instancePath:i+"/tests/"+p+"/tools/only/"+n,schemaPath:"#/properties/tests/items/properties/tools/properties/o\
nly/items/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[l]:e.push(l),r++}}else{let l={instancePath:i+
"/tests/"+p+"/tools/only/"+n,schemaPath:"#/properties/tests/items/properties/tools/properties/only/items/type",
keyword:"type",params:{type:"string"}};e===null?e=[l]:e.push(l),r++}}}}if(o.count!==void 0){let s=o.count;if(!(typeof s==
"number"&&!(s%1)&&!isNaN(s)&&isFinite(s))){let t={instancePath:i+"/tests/"+p+"/tools/count",schemaPath:"#/prop\
erties/tests/items/properties/tools/properties/count/type",keyword:"type",params:{type:"integer"}};e===null?e=
[t]:e.push(t),r++}if(typeof s=="number"&&isFinite(s)&&(s<0||isNaN(s))){let t={instancePath:i+"/tests/"+p+"/too\
ls/count",schemaPath:"#/properties/tests/items/properties/tools/properties/count/minimum",keyword:"minimum",params:{
comparison:">=",limit:0}};e===null?e=[t]:e.push(t),r++}}}else{let s={instancePath:i+"/tests/"+p+"/tools",schemaPath:"\
#/properties/tests/items/properties/tools/type",keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(s),
r++}}if(m.prompts!==void 0){let o=m.prompts;if(o&&typeof o=="object"&&!Array.isArray(o)){if(Object.keys(o).length<
1){let s={instancePath:i+"/tests/"+p+"/prompts",schemaPath:"#/properties/tests/items/properties/prompts/minPro\
perties",keyword:"minProperties",params:{limit:1}};e===null?e=[s]:e.push(s),r++}for(let s in o)if(!(s==="inclu\
des"||s==="excludes"||s==="only"||s==="count")){let t={instancePath:i+"/tests/"+p+"/prompts",schemaPath:"#/pro\
perties/tests/items/properties/prompts/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:s}};
e===null?e=[t]:e.push(t),r++}if(o.includes!==void 0){let s=o.includes;if(typeof s!="string"&&!Array.isArray(s)){
let t={instancePath:i+"/tests/"+p+"/prompts/includes",schemaPath:"#/properties/tests/items/properties/prompts/\
properties/includes/type",keyword:"type",params:{type:d.properties.tests.items.properties.prompts.properties.includes.
type}};e===null?e=[t]:e.push(t),r++}if(typeof s=="string"&&y(s)<1){let t={instancePath:i+"/tests/"+p+"/prompts\
/includes",schemaPath:"#/properties/tests/items/properties/prompts/properties/includes/minLength",keyword:"min\
Length",params:{limit:1}};e===null?e=[t]:e.push(t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){
let c=s[n];if(typeof c=="string"){if(y(c)<1){let l={instancePath:i+"/tests/"+p+"/prompts/includes/"+n,schemaPath:"\
#/properties/tests/items/properties/prompts/properties/includes/items/minLength",keyword:"minLength",params:{limit:1}};
e===null?e=[l]:e.push(l),r++}}else{let l={instancePath:i+"/tests/"+p+"/prompts/includes/"+n,schemaPath:"#/prop\
erties/tests/items/properties/prompts/properties/includes/items/type",keyword:"type",params:{type:"string"}};e===
null?e=[l]:e.push(l),r++}}}}if(o.excludes!==void 0){let s=o.excludes;if(typeof s!="string"&&!Array.isArray(s)){
let t={instancePath:i+"/tests/"+p+"/prompts/excludes",schemaPath:"#/properties/tests/items/properties/prompts/\
properties/excludes/type",keyword:"type",params:{type:d.properties.tests.items.properties.prompts.properties.excludes.
type}};e===null?e=[t]:e.push(t),r++}if(typeof s=="string"&&y(s)<1){let t={instancePath:i+"/tests/"+p+"/prompts\
/excludes",schemaPath:"#/properties/tests/items/properties/prompts/properties/excludes/minLength",keyword:"min\
Length",params:{limit:1}};e===null?e=[t]:e.push(t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){
let c=s[n];if(typeof c=="string"){if(y(c)<1){let l={instancePath:i+"/tests/"+p+"/prompts/excludes/"+n,schemaPath:"\
#/properties/tests/items/properties/prompts/properties/excludes/items/minLength",keyword:"minLength",params:{limit:1}};
e===null?e=[l]:e.push(l),r++}}else{let l={instancePath:i+"/tests/"+p+"/prompts/excludes/"+n,schemaPath:"#/prop\
erties/tests/items/properties/prompts/properties/excludes/items/type",keyword:"type",params:{type:"string"}};e===
null?e=[l]:e.push(l),r++}}}}if(o.only!==void 0){let s=o.only;if(typeof s!="string"&&!Array.isArray(s)){let t={
instancePath:i+"/tests/"+p+"/prompts/only",schemaPath:"#/properties/tests/items/properties/prompts/properties/\
only/type",keyword:"type",params:{type:d.properties.tests.items.properties.prompts.properties.only.type}};e===
null?e=[t]:e.push(t),r++}if(typeof s=="string"&&y(s)<1){let t={instancePath:i+"/tests/"+p+"/prompts/only",schemaPath:"\
#/properties/tests/items/properties/prompts/properties/only/minLength",keyword:"minLength",params:{limit:1}};e===
null?e=[t]:e.push(t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){let c=s[n];if(typeof c=="str\
ing"){if(y(c)<1){let l={instancePath:i+"/tests/"+p+"/prompts/only/"+n,schemaPath:"#/properties/tests/items/pro\
perties/prompts/properties/only/items/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[l]:e.push(l),
r++}}else{let l={instancePath:i+"/tests/"+p+"/prompts/only/"+n,schemaPath:"#/properties/tests/items/properties\
/prompts/properties/only/items/type",keyword:"type",params:{type:"string"}};e===null?e=[l]:e.push(l),r++}}}}if(o.
count!==void 0){let s=o.count;if(!(typeof s=="number"&&!(s%1)&&!isNaN(s)&&isFinite(s))){let t={instancePath:i+
"/tests/"+p+"/prompts/count",schemaPath:"#/properties/tests/items/properties/prompts/properties/count/type",keyword:"\
type",params:{type:"integer"}};e===null?e=[t]:e.push(t),r++}if(typeof s=="number"&&isFinite(s)&&(s<0||isNaN(s))){
let t={instancePath:i+"/tests/"+p+"/prompts/count",schemaPath:"#/properties/tests/items/properties/prompts/pro\
perties/count/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};e===null?e=[t]:e.push(t),r++}}}else{
let s={instancePath:i+"/tests/"+p+"/prompts",schemaPath:"#/properties/tests/items/properties/prompts/type",keyword:"\
type",params:{type:"object"}};e===null?e=[s]:e.push(s),r++}}if(m.resources!==void 0){let o=m.resources;if(o&&typeof o==
"object"&&!Array.isArray(o)){if(Object.keys(o).length<1){let s={instancePath:i+"/tests/"+p+"/resources",schemaPath:"\
#/properties/tests/items/properties/resources/minProperties",keyword:"minProperties",params:{limit:1}};e===null?
e=[s]:e.push(s),r++}for(let s in o)if(!(s==="includes"||s==="excludes"||s==="only"||s==="count")){let t={instancePath:i+
"/tests/"+p+"/resources",schemaPath:"#/properties/tests/items/properties/resources/additionalProperties",keyword:"\
additionalProperties",params:{additionalProperty:s}};e===null?e=[t]:e.push(t),r++}if(o.includes!==void 0){let s=o.
includes;if(typeof s!="string"&&!Array.isArray(s)){let t={instancePath:i+"/tests/"+p+"/resources/includes",schemaPath:"\
#/properties/tests/items/properties/resources/properties/includes/type",keyword:"type",params:{type:d.properties.
tests.items.properties.resources.properties.includes.type}};e===null?e=[t]:e.push(t),r++}if(typeof s=="string"&&
y(s)<1){let t={instancePath:i+"/tests/"+p+"/resources/includes",schemaPath:"#/properties/tests/items/propertie\
s/resources/properties/includes/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[t]:e.push(t),r++}
if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){let c=s[n];if(typeof c=="string"){if(y(c)<1){let l={instancePath:i+
"/tests/"+p+"/resources/includes/"+n,schemaPath:"#/properties/tests/items/properties/resources/properties/incl\
udes/items/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[l]:e.push(l),r++}}else{let l={instancePath:i+
"/tests/"+p+"/resources/includes/"+n,schemaPath:"#/properties/tests/items/properties/resources/properties/incl\
udes/items/type",keyword:"type",params:{type:"string"}};e===null?e=[l]:e.push(l),r++}}}}if(o.excludes!==void 0){
let s=o.excludes;if(typeof s!="string"&&!Array.isArray(s)){let t={instancePath:i+"/tests/"+p+"/resources/exclu\
des",schemaPath:"#/properties/tests/items/properties/resources/properties/excludes/type",keyword:"type",params:{
type:d.properties.tests.items.properties.resources.properties.excludes.type}};e===null?e=[t]:e.push(t),r++}if(typeof s==
"string"&&y(s)<1){let t={instancePath:i+"/tests/"+p+"/resources/excludes",schemaPath:"#/properties/tests/items\
/properties/resources/properties/excludes/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[t]:e.push(
t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){let c=s[n];if(typeof c=="string"){if(y(c)<1){let l={
instancePath:i+"/tests/"+p+"/resources/excludes/"+n,schemaPath:"#/properties/tests/items/properties/resources/\
properties/excludes/items/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[l]:e.push(l),r++}}else{
let l={instancePath:i+"/tests/"+p+"/resources/excludes/"+n,schemaPath:"#/properties/tests/items/properties/res\
ources/properties/excludes/items/type",keyword:"type",params:{type:"string"}};e===null?e=[l]:e.push(l),r++}}}}
if(o.only!==void 0){let s=o.only;if(typeof s!="string"&&!Array.isArray(s)){let t={instancePath:i+"/tests/"+p+"\
/resources/only",schemaPath:"#/properties/tests/items/properties/resources/properties/only/type",keyword:"type",
params:{type:d.properties.tests.items.properties.resources.properties.only.type}};e===null?e=[t]:e.push(t),r++}
if(typeof s=="string"&&y(s)<1){let t={instancePath:i+"/tests/"+p+"/resources/only",schemaPath:"#/properties/te\
sts/items/properties/resources/properties/only/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[t]:
e.push(t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){let c=s[n];if(typeof c=="string"){if(y(
c)<1){let l={instancePath:i+"/tests/"+p+"/resources/only/"+n,schemaPath:"#/properties/tests/items/properties/r\
esources/properties/only/items/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[l]:e.push(l),r++}}else{
let l={instancePath:i+"/tests/"+p+"/resources/only/"+n,schemaPath:"#/properties/tests/items/properties/resourc\
es/properties/only/items/type",keyword:"type",params:{type:"string"}};e===null?e=[l]:e.push(l),r++}}}}if(o.count!==
void 0){let s=o.count;if(!(typeof s=="number"&&!(s%1)&&!isNaN(s)&&isFinite(s))){let t={instancePath:i+"/tests/"+
p+"/resources/count",schemaPath:"#/properties/tests/items/properties/resources/properties/count/type",keyword:"\
type",params:{type:"integer"}};e===null?e=[t]:e.push(t),r++}if(typeof s=="number"&&isFinite(s)&&(s<0||isNaN(s))){
let t={instancePath:i+"/tests/"+p+"/resources/count",schemaPath:"#/properties/tests/items/properties/resources\
/properties/count/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};e===null?e=[t]:e.push(t),r++}}}else{
let s={instancePath:i+"/tests/"+p+"/resources",schemaPath:"#/properties/tests/items/properties/resources/type",
keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(s),r++}}if(m.resourceTemplates!==void 0){let o=m.
resourceTemplates;if(o&&typeof o=="object"&&!Array.isArray(o)){if(Object.keys(o).length<1){let s={instancePath:i+
"/tests/"+p+"/resourceTemplates",schemaPath:"#/properties/tests/items/properties/resourceTemplates/minProperti\
es",keyword:"minProperties",params:{limit:1}};e===null?e=[s]:e.push(s),r++}for(let s in o)if(!(s==="includes"||
s==="excludes"||s==="only"||s==="count")){let t={instancePath:i+"/tests/"+p+"/resourceTemplates",schemaPath:"#\
/properties/tests/items/properties/resourceTemplates/additionalProperties",keyword:"additionalProperties",params:{
additionalProperty:s}};e===null?e=[t]:e.push(t),r++}if(o.includes!==void 0){let s=o.includes;if(typeof s!="str\
ing"&&!Array.isArray(s)){let t={instancePath:i+"/tests/"+p+"/resourceTemplates/includes",schemaPath:"#/propert\
ies/tests/items/properties/resourceTemplates/properties/includes/type",keyword:"type",params:{type:d.properties.
tests.items.properties.resourceTemplates.properties.includes.type}};e===null?e=[t]:e.push(t),r++}if(typeof s==
"string"&&y(s)<1){let t={instancePath:i+"/tests/"+p+"/resourceTemplates/includes",schemaPath:"#/properties/tes\
ts/items/properties/resourceTemplates/properties/includes/minLength",keyword:"minLength",params:{limit:1}};e===
null?e=[t]:e.push(t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){let c=s[n];if(typeof c=="str\
ing"){if(y(c)<1){let l={instancePath:i+"/tests/"+p+"/resourceTemplates/includes/"+n,schemaPath:"#/properties/t\
ests/items/properties/resourceTemplates/properties/includes/items/minLength",keyword:"minLength",params:{limit:1}};
e===null?e=[l]:e.push(l),r++}}else{let l={instancePath:i+"/tests/"+p+"/resourceTemplates/includes/"+n,schemaPath:"\
#/properties/tests/items/properties/resourceTemplates/properties/includes/items/type",keyword:"type",params:{type:"\
string"}};e===null?e=[l]:e.push(l),r++}}}}if(o.excludes!==void 0){let s=o.excludes;if(typeof s!="string"&&!Array.
isArray(s)){let t={instancePath:i+"/tests/"+p+"/resourceTemplates/excludes",schemaPath:"#/properties/tests/ite\
ms/properties/resourceTemplates/properties/excludes/type",keyword:"type",params:{type:d.properties.tests.items.
properties.resourceTemplates.properties.excludes.type}};e===null?e=[t]:e.push(t),r++}if(typeof s=="string"&&y(
s)<1){let t={instancePath:i+"/tests/"+p+"/resourceTemplates/excludes",schemaPath:"#/properties/tests/items/pro\
perties/resourceTemplates/properties/excludes/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[t]:
e.push(t),r++}if(Array.isArray(s)){let t=s.length;for(let n=0;n<t;n++){let c=s[n];if(typeof c=="string"){if(y(
c)<1){let l={instancePath:i+"/tests/"+p+"/resourceTemplates/excludes/"+n,schemaPath:"#/properties/tests/items/\
properties/resourceTemplates/properties/excludes/items/minLength",keyword:"minLength",params:{limit:1}};e===null?
e=[l]:e.push(l),r++}}else{let l={instancePath:i+"/tests/"+p+"/resourceTemplates/excludes/"+n,schemaPath:"#/pro\
perties/tests/items/properties/resourceTemplates/properties/excludes/items/type",keyword:"type",params:{type:"\
string"}};e===null?e=[l]:e.push(l),r++}}}}if(o.only!==void 0){let s=o.only;if(typeof s!="string"&&!Array.isArray(
s)){let t={instancePath:i+"/tests/"+p+"/resourceTemplates/only",schemaPath:"#/properties/tests/items/propertie\
s/resourceTemplates/properties/only/type",keyword:"type",params:{type:d.properties.tests.items.properties.resourceTemplates.
properties.only.type}};e===null?e=[t]:e.push(t),r++}if(typeof s=="string"&&y(s)<1){let t={instancePath:i+"/tes\
ts/"+p+"/resourceTemplates/only",schemaPath:"#/properties/tests/items/properties/resourceTemplates/properties/\
only/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[t]:e.push(t),r++}if(Array.isArray(s)){let t=s.
length;for(let n=0;n<t;n++){let c=s[n];if(typeof c=="string"){if(y(c)<1){let l={instancePath:i+"/tests/"+p+"/r\
esourceTemplates/only/"+n,schemaPath:"#/properties/tests/items/properties/resourceTemplates/properties/only/it\
ems/minLength",keyword:"minLength",params:{limit:1}};e===null?e=[l]:e.push(l),r++}}else{let l={instancePath:i+
"/tests/"+p+"/resourceTemplates/only/"+n,schemaPath:"#/properties/tests/items/properties/resourceTemplates/pro\
perties/only/items/type",keyword:"type",params:{type:"string"}};e===null?e=[l]:e.push(l),r++}}}}if(o.count!==void 0){
let s=o.count;if(!(typeof s=="number"&&!(s%1)&&!isNaN(s)&&isFinite(s))){let t={instancePath:i+"/tests/"+p+"/re\
sourceTemplates/count",schemaPath:"#/properties/tests/items/properties/resourceTemplates/properties/count/type",
keyword:"type",params:{type:"integer"}};e===null?e=[t]:e.push(t),r++}if(typeof s=="number"&&isFinite(s)&&(s<0||
isNaN(s))){let t={instancePath:i+"/tests/"+p+"/resourceTemplates/count",schemaPath:"#/properties/tests/items/p\
roperties/resourceTemplates/properties/count/minimum",keyword:"minimum",params:{comparison:">=",limit:0}};e===
null?e=[t]:e.push(t),r++}}}else{let s={instancePath:i+"/tests/"+p+"/resourceTemplates",schemaPath:"#/propertie\
s/tests/items/properties/resourceTemplates/type",keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(
s),r++}}}else{let o={instancePath:i+"/tests/"+p,schemaPath:"#/properties/tests/items/type",keyword:"type",params:{
type:"object"}};e===null?e=[o]:e.push(o),r++}}}else{let f={instancePath:i+"/tests",schemaPath:"#/properties/te\
sts/type",keyword:"type",params:{type:"array"}};e===null?e=[f]:e.push(f),r++}}}else{let a={instancePath:i,schemaPath:"\
#/type",keyword:"type",params:{type:"object"}};e===null?e=[a]:e.push(a),r++}return N.errors=e,r===0}
export const validate: Validator = M;
