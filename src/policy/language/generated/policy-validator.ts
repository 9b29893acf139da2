// @ts-nocheck: made by "npm run generate"; holds parts of ajv and fast-deep-equal (MIT, Evgeny Poberezkin).
import type { Validator } from '../../language/schema-errors.js';
var w=(y,i)=>()=>{try{return i||y((i={exports:{}}).exports,i),i.exports}catch(f){throw i=0,f}};var j=w(k=>{"use strict";Object.defineProperty(k,"__esModule",{value:!0});function A(y){let i=y.length,f=0,g=0,
h;for(;g<i;)f++,h=y.charCodeAt(g++),h>=55296&&h<=56319&&g<i&&(h=y.charCodeAt(g),(h&64512)===56320&&g++);return f}
k.default=A;A.code='require("ajv/dist/runtime/ucs2length").default'});var x=w((E,I)=>{"use strict";I.exports=function y(i,f){if(i===f)return!0;if(i&&f&&typeof i=="object"&&typeof f==
"object"){if(i.constructor!==f.constructor)return!1;var g,h,e;if(Array.isArray(i)){if(g=i.length,g!=f.length)return!1;
for(h=g;h--!==0;)if(!y(i[h],f[h]))return!1;return!0}if(i.constructor===RegExp)return i.source===f.source&&i.flags===
f.flags;if(i.valueOf!==Object.prototype.valueOf)return i.valueOf()===f.valueOf();if(i.toString!==Object.prototype.
toString)return i.toString()===f.toString();if(e=Object.keys(i),g=e.length,g!==Object.keys(f).length)return!1;
for(h=g;h--!==0;)if(!Object.prototype.hasOwnProperty.call(f,e[h]))return!1;for(h=g;h--!==0;){var a=e[h];if(!y(
i[a],f[a]))return!1}return!0}return i!==i&&f!==f}});var q=w(b=>{"use strict";Object.defineProperty(b,"__esModule",{value:!0});var T=x();T.code='require("ajv/dist/\
runtime/equal").default';b.default=T});var D=N,u={$schema:"http://json-schema.org/draft-07/schema#",type:"object",required:["version"],additionalProperties:!1,
properties:{version:{const:1},include:{type:"array",items:{type:"string",minLength:1}},concerns:{type:"object",
maxProperties:64,propertyNames:{pattern:"^[a-z][a-z0-9_-]{0,63}$"},additionalProperties:{type:"object",required:[
"values"],additionalProperties:!1,properties:{description:{type:"string"},values:{type:["array","object"],minItems:1,
maxItems:64,uniqueItems:!0,items:{type:"string",pattern:"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"},required:["min","\
max"],additionalProperties:!1,properties:{min:{type:"number"},max:{type:"number"}}},match:{enum:["exact","at-l\
east","at-most"]},multiple:{type:"boolean"},default:{type:["string","number"]},"set-by":{enum:["host","operato\
r"]},claim:{type:"string",minLength:1}}}},presets:{type:"object",propertyNames:{pattern:"^[a-z][a-z0-9_-]{0,63\
}$"},additionalProperties:{type:"object",additionalProperties:{type:["string","number","array","null"],minItems:1,
items:{type:"string"}}}},primitives:{type:"object",additionalProperties:!1,properties:{tools:{type:"object",additionalProperties:{
type:"object",additionalProperties:{type:["string","number","array"],minItems:1,maxItems:64,items:{type:["stri\
ng","number"]}}}},prompts:{type:"object",additionalProperties:{type:"object",additionalProperties:{type:["stri\
ng","number","array"],minItems:1,maxItems:64,items:{type:["string","number"]}}}},resources:{type:"object",additionalProperties:{
type:"object",additionalProperties:{type:["string","number","array"],minItems:1,maxItems:64,items:{type:["stri\
ng","number"]}}}},resourceTemplates:{type:"object",additionalProperties:{type:"object",additionalProperties:{type:[
"string","number","array"],minItems:1,maxItems:64,items:{type:["string","number"]}}}}}},patterns:{type:"object",
additionalProperties:!1,properties:{tools:{type:"object",additionalProperties:{type:"object",additionalProperties:{
type:["string","number","array"],minItems:1,maxItems:64,items:{type:["string","number"]}}}},prompts:{type:"obj\
ect",additionalProperties:{type:"object",additionalProperties:{type:["string","number","array"],minItems:1,maxItems:64,
items:{type:["string","number"]}}}},resources:{type:"object",additionalProperties:{type:"object",additionalProperties:{
type:["string","number","array"],minItems:1,maxItems:64,items:{type:["string","number"]}}}},resourceTemplates:{
type:"object",additionalProperties:{type:"object",additionalProperties:{type:["string","number","array"],minItems:1,
maxItems:64,items:{type:["string","number"]}}}}}},assign:{type:"array",maxItems:256,items:{type:"object",required:[
"when","to"],additionalProperties:!1,properties:{when:{},to:{type:"object",additionalProperties:{type:["string",
"number","array"],minItems:1,maxItems:64,items:{type:["string","number"]}}}}}},rules:{type:"array",maxItems:256,
items:{type:"object",required:["id","when"],additionalProperties:!1,properties:{id:{type:"string",pattern:"^[a\
-z][a-z0-9_-]{0,63}$"},hide:{type:"array",minItems:1,uniqueItems:!0,items:{enum:["tools","prompts","resources",
"resourceTemplates"]}},show:{type:"array",minItems:1,uniqueItems:!0,items:{enum:["tools","prompts","resources",
"resourceTemplates"]}},when:{},reason:{type:"string"}}}},settings:{type:"object",additionalProperties:!1,properties:{
unmapped:{enum:["show","hide"]},defaults:{enum:["aware","always","never"]},invalid:{enum:["error","ignore","cl\
amp"]},enforcement:{enum:["advisory","enforce","shadow"]},"page-size":{type:"integer",minimum:1,maximum:1e4},transparency:{
type:"boolean"}}}}},$=Object.prototype.hasOwnProperty,z=j().default,F=q().default,v=new RegExp("^[a-z][a-z0-9_\
-]{0,63}$","u"),V=new RegExp("^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$","u");function N(y,{instancePath:i="",parentData:f,
parentDataProperty:g,rootData:h=y}={}){let e=null,a=0;if(y&&typeof y=="object"&&!Array.isArray(y)){if(y.version===
void 0){let l={instancePath:i,schemaPath:"#/required",keyword:"required",params:{missingProperty:"version"}};e===
null?e=[l]:e.push(l),a++}for(let l in y)if(!$.call(u.properties,l)){let s={instancePath:i,schemaPath:"#/additi\
onalProperties",keyword:"additionalProperties",params:{additionalProperty:l}};e===null?e=[s]:e.push(s),a++}if(y.
version!==void 0&&y.version!==1){let l={instancePath:i+"/version",schemaPath:"#/properties/version/const",keyword:"\
const",params:{allowedValue:1}};e===null?e=[l]:e.push(l),a++}if(y.include!==void 0){let l=y.include;if(Array.isArray(
l)){let s=l.length;for(let r=0;r<s;r++){let p=l[r];if(typeof p=="string"){if(z(p)<1){let t={instancePath:i+"/i\
nclude/"+r,schemaPath:"#/properties/include/items/minLength",keyword:"minLength",params:{limit:1}};e===null?e=
[t]:e.push(t),a++}}else{let t={instancePath:i+"/include/"+r,schemaPath:"#/properties/include/items/type",keyword:"\
type",params:{type:"string"}};e===null?e=[t]:e.push(t),a++}}}else{let s={instancePath:i+"/include",schemaPath:"\
#/properties/include/type",keyword:"type",params:{type:"array"}};e===null?e=[s]:e.push(s),a++}}if(y.concerns!==
void 0){let l=y.concerns;if(l&&typeof l=="object"&&!Array.isArray(l)){if(Object.keys(l).length>64){let s={instancePath:i+
"/concerns",schemaPath:"#/properties/concerns/maxProperties",keyword:"maxProperties",params:{limit:64}};e===null?
e=[s]:e.push(s),a++}for(let s in l){let r=a;if(typeof s=="string"&&!v.test(s)){let p={instancePath:i+"/concern\
s",schemaPath:"#/properties/concerns/propertyNames/pattern",keyword:"pattern",params:{pattern:"^[a-z][a-z0-9_-\
]{0,63}$"},propertyName:s};e===null?e=[p]:e.push(p),a++}var _=r===a;if(!_){let p={instancePath:i+"/concerns",schemaPath:"\
#/properties/concerns/propertyNames",keyword:"propertyNames",params:{propertyName:s}};e===null?e=[p]:e.push(p),
a++}}for(let s in l){let r=l[s];if(r&&typeof r=="object"&&!Array.isArray(r)){if(r.values===void 0){let p={instancePath:i+
"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/concerns/additionalProperties/r\
equired",keyword:"required",params:{missingProperty:"values"}};e===null?e=[p]:e.push(p),a++}for(let p in r)if(!(p===
"description"||p==="values"||p==="match"||p==="multiple"||p==="default"||p==="set-by"||p==="claim")){let t={instancePath:i+
"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/concerns/additionalProperties/a\
dditionalProperties",keyword:"additionalProperties",params:{additionalProperty:p}};e===null?e=[t]:e.push(t),a++}
if(r.description!==void 0&&typeof r.description!="string"){let p={instancePath:i+"/concerns/"+s.replace(/~/g,"\
~0").replace(/\//g,"~1")+"/description",schemaPath:"#/properties/concerns/additionalProperties/properties/desc\
ription/type",keyword:"type",params:{type:"string"}};e===null?e=[p]:e.push(p),a++}if(r.values!==void 0){let p=r.
values;if(!p||typeof p!="object"){let t={instancePath:i+"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+
"/values",schemaPath:"#/properties/concerns/additionalProperties/properties/values/type",keyword:"type",params:{
type:u.properties.concerns.additionalProperties.properties.values.type}};e===null?e=[t]:e.push(t),a++}if(Array.
isArray(p)){if(p.length>64){let n={instancePath:i+"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/valu\
es",schemaPath:"#/properties/concerns/additionalProperties/properties/values/maxItems",keyword:"maxItems",params:{
limit:64}};e===null?e=[n]:e.push(n),a++}if(p.length<1){let n={instancePath:i+"/concerns/"+s.replace(/~/g,"~0").
replace(/\//g,"~1")+"/values",schemaPath:"#/properties/concerns/additionalProperties/properties/values/minItem\
s",keyword:"minItems",params:{limit:1}};e===null?e=[n]:e.push(n),a++}let t=p.length;for(let n=0;n<t;n++){let m=p[n];
if(typeof m=="string"){if(!V.test(m)){let d={instancePath:i+"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~\
1")+"/values/"+n,schemaPath:"#/properties/concerns/additionalProperties/properties/values/items/pattern",keyword:"\
pattern",params:{pattern:"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"}};e===null?e=[d]:e.push(d),a++}}else{let d={instancePath:i+
"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/values/"+n,schemaPath:"#/properties/concerns/additiona\
lProperties/properties/values/items/type",keyword:"type",params:{type:"string"}};e===null?e=[d]:e.push(d),a++}}
let o=p.length,c;if(o>1){let n={};for(;o--;){let m=p[o];if(typeof m=="string"){if(typeof n[m]=="number"){c=n[m];
let d={instancePath:i+"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/values",schemaPath:"#/properties\
/concerns/additionalProperties/properties/values/uniqueItems",keyword:"uniqueItems",params:{i:o,j:c}};e===null?
e=[d]:e.push(d),a++;break}n[m]=o}}}}if(p&&typeof p=="object"&&!Array.isArray(p)){if(p.min===void 0){let t={instancePath:i+
"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/values",schemaPath:"#/properties/concerns/additionalPr\
operties/properties/values/required",keyword:"required",params:{missingProperty:"min"}};e===null?e=[t]:e.push(
t),a++}if(p.max===void 0){let t={instancePath:i+"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/values",
schemaPath:"#/properties/concerns/additionalProperties/properties/values/required",keyword:"required",params:{
missingProperty:"max"}};e===null?e=[t]:e.push(t),a++}for(let t in p)if(!(t==="min"||t==="max")){let o={instancePath:i+
"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/values",schemaPath:"#/properties/concerns/additionalPr\
operties/properties/values/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:t}};
e===null?e=[o]:e.push(o),a++}if(p.min!==void 0){let t=p.min;if(!(typeof t=="number"&&isFinite(t))){let o={instancePath:i+
"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/values/min",schemaPath:"#/properties/concerns/addition\
alProperties/properties/values/properties/min/type",keyword:"type",params:{type:"number"}};e===null?e=[o]:e.push(
o),a++}}if(p.max!==void 0){let t=p.max;if(!(typeof t=="number"&&isFinite(t))){let o={instancePath:i+"/concerns\
/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/values/max",schemaPath:"#/properties/concerns/additionalProperti\
es/properties/values/properties/max/type",keyword:"type",params:{type:"number"}};e===null?e=[o]:e.push(o),a++}}}}
if(r.match!==void 0){let p=r.match;if(!(p==="exact"||p==="at-least"||p==="at-most")){let t={instancePath:i+"/c\
oncerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/match",schemaPath:"#/properties/concerns/additionalProper\
ties/properties/match/enum",keyword:"enum",params:{allowedValues:u.properties.concerns.additionalProperties.properties.
match.enum}};e===null?e=[t]:e.push(t),a++}}if(r.multiple!==void 0&&typeof r.multiple!="boolean"){let p={instancePath:i+
"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/multiple",schemaPath:"#/properties/concerns/additional\
Properties/properties/multiple/type",keyword:"type",params:{type:"boolean"}};e===null?e=[p]:e.push(p),a++}if(r.
default!==void 0){let p=r.default;if(typeof p!="string"&&!(typeof p=="number"&&isFinite(p))){let t={instancePath:i+
"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/default",schemaPath:"#/properties/concerns/additionalP\
roperties/properties/default/type",keyword:"type",params:{type:u.properties.concerns.additionalProperties.properties.
default.type}};e===null?e=[t]:e.push(t),a++}}if(r["set-by"]!==void 0){let p=r["set-by"];if(!(p==="host"||p==="\
operator")){let t={instancePath:i+"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/set-by",schemaPath:"\
#/properties/concerns/additionalProperties/properties/set-by/enum",keyword:"enum",params:{allowedValues:u.properties.
concerns.additionalProperties.properties["set-by"].enum}};e===null?e=[t]:e.push(t),a++}}if(r.claim!==void 0){let p=r.
claim;if(typeof p=="string"){if(z(p)<1){let t={instancePath:i+"/concerns/"+s.replace(/~/g,"~0").replace(/\//g,
"~1")+"/claim",schemaPath:"#/properties/concerns/additionalProperties/properties/claim/minLength",keyword:"min\
Length",params:{limit:1}};e===null?e=[t]:e.push(t),a++}}else{let t={instancePath:i+"/concerns/"+s.replace(/~/g,
"~0").replace(/\//g,"~1")+"/claim",schemaPath:"#/properties/concerns/additionalProperties/properties/claim/typ\
e",keyword:"type",params:{type:"string"}};e===null?e=[t]:e.push(t),a++}}}else{let p={instancePath:i+"/concerns\
/"+s.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/concerns/additionalProperties/type",keyword:"\
type",params:{type:"object"}};e===null?e=[p]:e.push(p),a++}}}else{let s={instancePath:i+"/concerns",schemaPath:"\
#/properties/concerns/type",keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(s),a++}}if(y.presets!==
void 0){let l=y.presets;if(l&&typeof l=="object"&&!Array.isArray(l)){for(let s in l){let r=a;if(typeof s=="str\
ing"&&!v.test(s)){let p={instancePath:i+"/presets",schemaPath:"#/properties/presets/propertyNames/pattern",keyword:"\
pattern",params:{pattern:"^[a-z][a-z0-9_-]{0,63}$"},propertyName:s};e===null?e=[p]:e.push(p),a++}var O=r===a;if(!O){
let p={instancePath:i+"/presets",schemaPath:"#/properties/presets/propertyNames",keyword:"propertyNames",params:{
propertyName:s}};e===null?e=[p]:e.push(p),a++}}for(let s in l){let r=l[s];if(r&&typeof r=="object"&&!Array.isArray(
r))for(let p in r){let t=r[p];if(typeof t!="string"&&!(typeof t=="number"&&isFinite(t))&&!Array.isArray(t)&&t!==
null){let o={instancePath:i+"/presets/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+p.replace(/~/g,"~0").replace(
/\//g,"~1"),schemaPath:"#/properties/presets/additionalProperties/additionalProperties/type",keyword:"type",params:{
type:u.properties.presets.additionalProperties.additionalProperties.type}};e===null?e=[o]:e.push(o),a++}if(Array.
isArray(t)){if(t.length<1){let c={instancePath:i+"/presets/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+p.replace(
/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/presets/additionalProperties/additionalProperties/minI\
tems",keyword:"minItems",params:{limit:1}};e===null?e=[c]:e.push(c),a++}let o=t.length;for(let c=0;c<o;c++)if(typeof t[c]!=
"string"){let n={instancePath:i+"/presets/"+s.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+p.replace(/~/g,"~0").
replace(/\//g,"~1")+"/"+c,schemaPath:"#/properties/presets/additionalProperties/additionalProperties/items/typ\
e",keyword:"type",params:{type:"string"}};e===null?e=[n]:e.push(n),a++}}}else{let p={instancePath:i+"/presets/"+
s.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/presets/additionalProperties/type",keyword:"\
type",params:{type:"object"}};e===null?e=[p]:e.push(p),a++}}}else{let s={instancePath:i+"/presets",schemaPath:"\
#/properties/presets/type",keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(s),a++}}if(y.primitives!==
void 0){let l=y.primitives;if(l&&typeof l=="object"&&!Array.isArray(l)){for(let s in l)if(!(s==="tools"||s==="\
prompts"||s==="resources"||s==="resourceTemplates")){let r={instancePath:i+"/primitives",schemaPath:"#/propert\
ies/primitives/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:s}};e===null?e=
[r]:e.push(r),a++}if(l.tools!==void 0){let s=l.tools;if(s&&typeof s=="object"&&!Array.isArray(s))for(let r in s){
let p=s[r];if(p&&typeof p=="object"&&!Array.isArray(p))for(let t in p){let o=p[t];if(typeof o!="string"&&!(typeof o==
"number"&&isFinite(o))&&!Array.isArray(o)){let c={instancePath:i+"/primitives/tools/"+r.replace(/~/g,"~0").replace(
/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/primitives/properties/tools/\
additionalProperties/additionalProperties/type",keyword:"type",params:{type:u.properties.primitives.properties.
tools.additionalProperties.additionalProperties.type}};e===null?e=[c]:e.push(c),a++}if(Array.isArray(o)){if(o.
length>64){let n={instancePath:i+"/primitives/tools/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,
"~0").replace(/\//g,"~1"),schemaPath:"#/properties/primitives/properties/tools/additionalProperties/additional\
Properties/maxItems",keyword:"maxItems",params:{limit:64}};e===null?e=[n]:e.push(n),a++}if(o.length<1){let n={
instancePath:i+"/primitives/tools/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(
/\//g,"~1"),schemaPath:"#/properties/primitives/properties/tools/additionalProperties/additionalProperties/min\
Items",keyword:"minItems",params:{limit:1}};e===null?e=[n]:e.push(n),a++}let c=o.length;for(let n=0;n<c;n++){let m=o[n];
if(typeof m!="string"&&!(typeof m=="number"&&isFinite(m))){let d={instancePath:i+"/primitives/tools/"+r.replace(
/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+n,schemaPath:"#/properties/pri\
mitives/properties/tools/additionalProperties/additionalProperties/items/type",keyword:"type",params:{type:u.properties.
primitives.properties.tools.additionalProperties.additionalProperties.items.type}};e===null?e=[d]:e.push(d),a++}}}}else{
let t={instancePath:i+"/primitives/tools/"+r.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/p\
rimitives/properties/tools/additionalProperties/type",keyword:"type",params:{type:"object"}};e===null?e=[t]:e.
push(t),a++}}else{let r={instancePath:i+"/primitives/tools",schemaPath:"#/properties/primitives/properties/too\
ls/type",keyword:"type",params:{type:"object"}};e===null?e=[r]:e.push(r),a++}}if(l.prompts!==void 0){let s=l.prompts;
if(s&&typeof s=="object"&&!Array.isArray(s))for(let r in s){let p=s[r];if(p&&typeof p=="object"&&!Array.isArray(
p))for(let t in p){let o=p[t];if(typeof o!="string"&&!(typeof o=="number"&&isFinite(o))&&!Array.isArray(o)){let c={
instancePath:i+"/primitives/prompts/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(
/\//g,"~1"),schemaPath:"#/properties/primitives/properties/prompts/additionalProperties/additionalProperties/t\
ype",keyword:"type",params:{type:u.properties.primitives.properties.prompts.additionalProperties.additionalProperties.
type}};e===null?e=[c]:e.push(c),a++}if(Array.isArray(o)){if(o.length>64){let n={instancePath:i+"/primitives/pr\
ompts/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/pr\
operties/primitives/properties/prompts/additionalProperties/additionalProperties/maxItems",keyword:"maxItems",
params:{limit:64}};e===null?e=[n]:e.push(n),a++}if(o.length<1){let n={instancePath:i+"/primitives/prompts/"+r.
replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/p\
rimitives/properties/prompts/additionalProperties/additionalProperties/minItems",keyword:"minItems",params:{limit:1}};
e===null?e=[n]:e.push(n),a++}let c=o.length;for(let n=0;n<c;n++){let m=o[n];if(typeof m!="string"&&!(typeof m==
"number"&&isFinite(m))){let d={instancePath:i+"/primitives/prompts/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+
"/"+t.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+n,schemaPath:"#/properties/primitives/properties/prompts/addi\
tionalProperties/additionalProperties/items/type",keyword:"type",params:{type:u.properties.primitives.properties.
prompts.additionalProperties.additionalProperties.items.type}};e===null?e=[d]:e.push(d),a++}}}}else{let t={instancePath:i+
"/primitives/prompts/"+r.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/primitives/properties\
/prompts/additionalProperties/type",keyword:"type",params:{type:"object"}};e===null?e=[t]:e.push(t),a++}}else{
let r={instancePath:i+"/primitives/prompts",schemaPath:"#/properties/primitives/properties/prompts/type",keyword:"\
type",params:{type:"object"}};e===null?e=[r]:e.push(r),a++}}if(l.resources!==void 0){let s=l.resources;if(s&&typeof s==
"object"&&!Array.isArray(s))for(let r in s){let p=s[r];if(p&&typeof p=="object"&&!Array.isArray(p))for(let t in p){
let o=p[t];if(typeof o!="string"&&!(typeof o=="number"&&isFinite(o))&&!Array.isArray(o)){let c={instancePath:i+
"/primitives/resources/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),
schemaPath:"#/properties/primitives/properties/resources/additionalProperties/additionalProperties/type",keyword:"\
type",params:{type:u.properties.primitives.properties.resources.additionalProperties.additionalProperties.type}};
e===null?e=[c]:e.push(c),a++}if(Array.isArray(o)){if(o.length>64){let n={instancePath:i+"/primitives/resources\
/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/propert\
ies/primitives/properties/resources/additionalProperties/additionalProperties/maxItems",keyword:"maxItems",params:{
limit:64}};e===null?e=[n]:e.push(n),a++}if(o.length<1){let n={instancePath:i+"/primitives/resources/"+r.replace(
/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/primitive\
s/properties/resources/additionalProperties/additionalProperties/minItems",keyword:"minItems",params:{limit:1}};
e===null?e=[n]:e.push(n),a++}let c=o.length;for(let n=0;n<c;n++){let m=o[n];if(typeof m!="string"&&!(typeof m==
"number"&&isFinite(m))){let d={instancePath:i+"/primitives/resources/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+
"/"+t.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+n,schemaPath:"#/properties/primitives/properties/resources/ad\
ditionalProperties/additionalProperties/items/type",keyword:"type",params:{type:u.properties.primitives.properties.
resources.additionalProperties.additionalProperties.items.type}};e===null?e=[d]:e.push(d),a++}}}}else{let t={instancePath:i+
"/primitives/resources/"+r.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/primitives/properti\
es/resources/additionalProperties/type",keyword:"type",params:{type:"object"}};e===null?e=[t]:e.push(t),a++}}else{
let r={instancePath:i+"/primitives/resources",schemaPath:"#/properties/primitives/properties/resources/type",keyword:"\
type",params:{type:"object"}};e===null?e=[r]:e.push(r),a++}}if(l.resourceTemplates!==void 0){let s=l.resourceTemplates;
if(s&&typeof s=="object"&&!Array.isArray(s))for(let r in s){let p=s[r];if(p&&typeof p=="object"&&!Array.isArray(
p))for(let t in p){let o=p[t];if(typeof o!="string"&&!(typeof o=="number"&&isFinite(o))&&!Array.isArray(o)){let c={
instancePath:i+"/primitives/resourceTemplates/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~\
0").replace(/\//g,"~1"),schemaPath:"#/properties/primitives/properties/resourceTemplates/additionalProperties/\
additionalProperties/type",keyword:"type",params:{type:u.properties.primitives.properties.resourceTemplates.additionalProperties.
additionalProperties.type}};e===null?e=[c]:e.push(c),a++}if(Array.isArray(o)){if(o.length>64){let n={instancePath:i+
"/primitives/resourceTemplates/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,
"~1"),schemaPath:"#/properties/primitives/properties/resourceTemplates/additionalProperties/additionalProperti\
es/maxItems",keyword:"maxItems",params:{limit:64}};e===null?e=[n]:e.push(n),a++}if(o.length<1){let n={instancePath:i+
"/primitives/resourceTemplates/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,
"~1"),schemaPath:"#/properties/primitives/properties/resourceTemplates/additionalProperties/additionalProperti\
es/minItems",keyword:"minItems",params:{limit:1}};e===null?e=[n]:e.push(n),a++}let c=o.length;for(let n=0;n<c;n++){
let m=o[n];if(typeof m!="string"&&!(typeof m=="number"&&isFinite(m))){let d={instancePath:i+"/primitives/resou\
rceTemplates/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+n,schemaPath:"\
#/properties/primitives/properties/resourceTemplates/additionalProperties/additionalProperties/items/type",keyword:"\
type",params:{type:u.properties.primitives.properties.resourceTemplates.additionalProperties.additionalProperties.
items.type}};e===null?e=[d]:e.push(d),a++}}}}else{let t={instancePath:i+"/primitives/resourceTemplates/"+r.replace(
/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/primitives/properties/resourceTemplates/additionalProp\
erties/type",keyword:"type",params:{type:"object"}};e===null?e=[t]:e.push(t),a++}}else{let r={instancePath:i+"\
/primitives/resourceTemplates",schemaPath:"#/properties/primitives/properties/resourceTemplates/type",keyword:"\
type",params:{type:"object"}};e===null?e=[r]:e.push(r),a++}}}else{let s={instancePath:i+"/primitives",schemaPath:"\
#/properties/primitives/type",keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(s),a++}}if(y.patterns!==
void 0){let l=y.patterns;if(l&&typeof l=="object"&&!Array.isArray(l)){for(let s in l)if(!(s==="tools"||s==="pr\
ompts"||s==="resources"||s==="resourceTemplates")){let r={instancePath:i+"/patterns",schemaPath:"#/properties/\
patterns/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:s}};e===null?e=[r]:e.
push(r),a++}if(l.tools!==void 0){let s=l.tools;if(s&&typeof s=="object"&&!Array.isArray(s))for(let r in s){let p=s[r];
if(p&&typeof p=="object"&&!Array.isArray(p))for(let t in p){let o=p[t];if(typeof o!="string"&&!(typeof o=="num\
ber"&&isFinite(o))&&!Array.isArray(o)){let c={instancePath:i+"/patterns/tools/"+r.replace(/~/g,"~0").replace(/\//g,
"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/patterns/properties/tools/addition\
alProperties/additionalProperties/type",keyword:"type",params:{type:u.properties.patterns.properties.tools.additionalProperties.
additionalProperties.type}};e===null?e=[c]:e.push(c),a++}if(Array.isArray(o)){if(o.length>64){let n={instancePath:i+
"/patterns/tools/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"\
#/properties/patterns/properties/tools/additionalProperties/additionalProperties/maxItems",keyword:"maxItems",
params:{limit:64}};e===null?e=[n]:e.push(n),a++}if(o.length<1){let n={instancePath:i+"/patterns/tools/"+r.replace(
/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/patterns/\
properties/tools/additionalProperties/additionalProperties/minItems",keyword:"minItems",params:{limit:1}};e===
null?e=[n]:e.push(n),a++}let c=o.length;for(let n=0;n<c;n++){let m=o[n];if(typeof m!="string"&&!(typeof m=="nu\
mber"&&isFinite(m))){let d={instancePath:i+"/patterns/tools/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(
/~/g,"~0").replace(/\//g,"~1")+"/"+n,schemaPath:"#/properties/patterns/properties/tools/additionalProperties/a\
dditionalProperties/items/type",keyword:"type",params:{type:u.properties.patterns.properties.tools.additionalProperties.
additionalProperties.items.type}};e===null?e=[d]:e.push(d),a++}}}}else{let t={instancePath:i+"/patterns/tools/"+
r.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/patterns/properties/tools/additionalProperti\
es/type",keyword:"type",params:{type:"object"}};e===null?e=[t]:e.push(t),a++}}else{let r={instancePath:i+"/pat\
terns/tools",schemaPath:"#/properties/patterns/properties/tools/type",keyword:"type",params:{type:"object"}};e===
null?e=[r]:e.push(r),a++}}if(l.prompts!==void 0){let s=l.prompts;if(s&&typeof s=="object"&&!Array.isArray(s))for(let r in s){
let p=s[r];if(p&&typeof p=="object"&&!Array.isArray(p))for(let t in p){let o=p[t];if(typeof o!="string"&&!(typeof o==
"number"&&isFinite(o))&&!Array.isArray(o)){let c={instancePath:i+"/patterns/prompts/"+r.replace(/~/g,"~0").replace(
/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/patterns/properties/prompts/\
additionalProperties/additionalProperties/type",keyword:"type",params:{type:u.properties.patterns.properties.prompts.
additionalProperties.additionalProperties.type}};e===null?e=[c]:e.push(c),a++}if(Array.isArray(o)){if(o.length>
64){let n={instancePath:i+"/patterns/prompts/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").
replace(/\//g,"~1"),schemaPath:"#/properties/patterns/properties/prompts/additionalProperties/additionalProper\
ties/maxItems",keyword:"maxItems",params:{limit:64}};e===null?e=[n]:e.push(n),a++}if(o.length<1){let n={instancePath:i+
"/patterns/prompts/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"\
#/properties/patterns/properties/prompts/additionalProperties/additionalProperties/minItems",keyword:"minItems",
params:{limit:1}};e===null?e=[n]:e.push(n),a++}let c=o.length;for(let n=0;n<c;n++){let m=o[n];if(typeof m!="st\
ring"&&!(typeof m=="number"&&isFinite(m))){let d={instancePath:i+"/patterns/prompts/"+r.replace(/~/g,"~0").replace(
/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+n,schemaPath:"#/properties/patterns/properties/pr\
ompts/additionalProperties/additionalProperties/items/type",keyword:"type",params:{type:u.properties.patterns.
properties.prompts.additionalProperties.additionalProperties.items.type}};e===null?e=[d]:e.push(d),a++}}}}else{
let t={instancePath:i+"/patterns/prompts/"+r.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/p\
atterns/properties/prompts/additionalProperties/type",keyword:"type",params:{type:"object"}};e===null?e=[t]:e.
push(t),a++}}else{let r={instancePath:i+"/patterns/prompts",schemaPath:"#/properties/patterns/properties/promp\
ts/type",keyword:"type",params:{type:"object"}};e===null?e=[r]:e.push(r),a++}}if(l.resources!==void 0){let s=l.
resources;if(s&&typeof s=="object"&&!Array.isArray(s))for(let r in s){let p=s[r];if(p&&typeof p=="object"&&!Array.
isArray(p))for(let t in p){let o=p[t];if(typeof o!="string"&&!(typeof o=="number"&&isFinite(o))&&!Array.isArray(
o)){let c={instancePath:i+"/patterns/resources/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"\
~0").replace(/\//g,"~1"),schemaPath:"#/properties/patterns/properties/resources/additionalProperties/additiona\
lProperties/type",keyword:"type",params:{type:u.properties.patterns.properties.resources.additionalProperties.
additionalProperties.type}};e===null?e=[c]:e.push(c),a++}if(Array.isArray(o)){if(o.length>64){let n={instancePath:i+
"/patterns/resources/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"\
#/properties/patterns/properties/resources/additionalProperties/additionalProperties/maxItems",keyword:"maxIte\
ms",params:{limit:64}};e===null?e=[n]:e.push(n),a++}if(o.length<1){let n={instancePath:i+"/patterns/resources/"+
r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties\
/patterns/properties/resources/additionalProperties/additionalProperties/minItems",keyword:"minItems",params:{
limit:1}};e===null?e=[n]:e.push(n),a++}let c=o.length;for(let n=0;n<c;n++){let m=o[n];if(typeof m!="string"&&!(typeof m==
"number"&&isFinite(m))){let d={instancePath:i+"/patterns/resources/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+
"/"+t.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+n,schemaPath:"#/properties/patterns/properties/resources/addi\
tionalProperties/additionalProperties/items/type",keyword:"type",params:{type:u.properties.patterns.properties.
resources.additionalProperties.additionalProperties.items.type}};e===null?e=[d]:e.push(d),a++}}}}else{let t={instancePath:i+
"/patterns/resources/"+r.replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/patterns/properties/r\
esources/additionalProperties/type",keyword:"type",params:{type:"object"}};e===null?e=[t]:e.push(t),a++}}else{
let r={instancePath:i+"/patterns/resources",schemaPath:"#/properties/patterns/properties/resources/type",keyword:"\
type",params:{type:"object"}};e===null?e=[r]:e.push(r),a++}}if(l.resourceTemplates!==void 0){let s=l.resourceTemplates;
if(s&&typeof s=="object"&&!Array.isArray(s))for(let r in s){let p=s[r];if(p&&typeof p=="object"&&!Array.isArray(
p))for(let t in p){let o=p[t];if(typeof o!="string"&&!(typeof o=="number"&&isFinite(o))&&!Array.isArray(o)){let c={
instancePath:i+"/patterns/resourceTemplates/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").
replace(/\//g,"~1"),schemaPath:"#/properties/patterns/properties/resourceTemplates/additionalProperties/additi\
onalProperties/type",keyword:"type",params:{type:u.properties.patterns.properties.resourceTemplates.additionalProperties.
additionalProperties.type}};e===null?e=[c]:e.push(c),a++}if(Array.isArray(o)){if(o.length>64){let n={instancePath:i+
"/patterns/resourceTemplates/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,
"~1"),schemaPath:"#/properties/patterns/properties/resourceTemplates/additionalProperties/additionalProperties\
/maxItems",keyword:"maxItems",params:{limit:64}};e===null?e=[n]:e.push(n),a++}if(o.length<1){let n={instancePath:i+
"/patterns/resourceTemplates/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,
"~1"),schemaPath:"#/properties/patterns/properties/resourceTemplates/additionalProperties/additionalProperties\
/minItems",keyword:"minItems",params:{limit:1}};e===null?e=[n]:e.push(n),a++}let c=o.length;for(let n=0;n<c;n++){
let m=o[n];if(typeof m!="string"&&!(typeof m=="number"&&isFinite(m))){let d={instancePath:i+"/patterns/resourc\
eTemplates/"+r.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+t.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+n,schemaPath:"\
#/properties/patterns/properties/resourceTemplates/additionalProperties/additionalProperties/items/type",keyword:"\
type",params:{type:u.properties.patterns.properties.resourceTemplates.additionalProperties.additionalProperties.
items.type}};e===null?e=[d]:e.push(d),a++}}}}else{let t={instancePath:i+"/patterns/resourceTemplates/"+r.replace(
/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/patterns/properties/resourceTemplates/additionalProper\
ties/type",keyword:"type",params:{type:"object"}};e===null?e=[t]:e.push(t),a++}}else{let r={instancePath:i+"/p\
atterns/resourceTemplates",schemaPath:"#/properties/patterns/properties/resourceTemplates/type",keyword:"type",
params:{type:"object"}};e===null?e=[r]:e.push(r),a++}}}else{let s={instancePath:i+"/patterns",schemaPath:"#/pr\
operties/patterns/type",keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(s),a++}}if(y.assign!==void 0){
let l=y.assign;if(Array.isArray(l)){if(l.length>256){let r={instancePath:i+"/assign",schemaPath:"#/properties/\
assign/maxItems",keyword:"maxItems",params:{limit:256}};e===null?e=[r]:e.push(r),a++}let s=l.length;for(let r=0;r<
s;r++){let p=l[r];if(p&&typeof p=="object"&&!Array.isArray(p)){if(p.when===void 0){let t={instancePath:i+"/ass\
ign/"+r,schemaPath:"#/properties/assign/items/required",keyword:"required",params:{missingProperty:"when"}};e===
null?e=[t]:e.push(t),a++}if(p.to===void 0){let t={instancePath:i+"/assign/"+r,schemaPath:"#/properties/assign/\
items/required",keyword:"required",params:{missingProperty:"to"}};e===null?e=[t]:e.push(t),a++}for(let t in p)
if(!(t==="when"||t==="to")){let o={instancePath:i+"/assign/"+r,schemaPath:"#/properties/assign/items/additiona\
lProperties",keyword:"additionalProperties",params:{additionalProperty:t}};e===null?e=[o]:e.push(o),a++}if(p.to!==
void 0){let t=p.to;if(t&&typeof t=="object"&&!Array.isArray(t))for(let o in t){let c=t[o];if(typeof c!="string"&&
!(typeof c=="number"&&isFinite(c))&&!Array.isArray(c)){let n={instancePath:i+"/assign/"+r+"/to/"+o.replace(/~/g,
"~0").replace(/\//g,"~1"),schemaPath:"#/properties/assign/items/properties/to/additionalProperties/type",keyword:"\
type",params:{type:u.properties.assign.items.properties.to.additionalProperties.type}};e===null?e=[n]:e.push(n),
a++}if(Array.isArray(c)){if(c.length>64){let m={instancePath:i+"/assign/"+r+"/to/"+o.replace(/~/g,"~0").replace(
/\//g,"~1"),schemaPath:"#/properties/assign/items/properties/to/additionalProperties/maxItems",keyword:"maxIte\
ms",params:{limit:64}};e===null?e=[m]:e.push(m),a++}if(c.length<1){let m={instancePath:i+"/assign/"+r+"/to/"+o.
replace(/~/g,"~0").replace(/\//g,"~1"),schemaPath:"#/properties/assign/items/properties/to/additionalPropertie\
s/minItems",keyword:"minItems",params:{limit:1}};e===null?e=[m]:e.push(m),a++}let n=c.length;for(let m=0;m<n;m++){
let d=c[m];if(typeof d!="string"&&!(typeof d=="number"&&isFinite(d))){let P={instancePath:i+"/assign/"+r+"/to/"+
o.replace(/~/g,"~0").replace(/\//g,"~1")+"/"+m,schemaPath:"#/properties/assign/items/properties/to/additionalP\
roperties/items/type",keyword:"type",params:{type:u.properties.assign.items.properties.to.additionalProperties.
items.type}};e===null?e=[P]:e.push(P),a++}}}}else{let o={instancePath:i+"/assign/"+r+"/to",schemaPath:"#/prope\
rties/assign/items/properties/to/type",keyword:"type",params:{type:"object"}};e===null?e=[o]:e.push(o),a++}}}else{
let t={instancePath:i+"/assign/"+r,schemaPath:"#/properties/assign/items/type",keyword:"type",params:{type:"ob\
ject"}};e===null?e=[t]:e.push(t),a++}}}else{let s={instancePath:i+"/assign",schemaPath:"#/properties/assign/ty\
pe",keyword:"type",params:{type:"array"}};e===null?e=[s]:e.push(s),a++}}if(y.rules!==void 0){let l=y.rules;if(Array.
isArray(l)){if(l.length>256){let r={instancePath:i+"/rules",schemaPath:"#/properties/rules/maxItems",keyword:"\
maxItems",params:{limit:256}};e===null?e=[r]:e.push(r),a++}let s=l.length;for(let r=0;r<s;r++){let p=l[r];if(p&&
typeof p=="object"&&!Array.isArray(p)){if(p.id===void 0){let t={instancePath:i+"/rules/"+r,schemaPath:"#/prope\
rties/rules/items/required",keyword:"required",params:{missingProperty:"id"}};e===null?e=[t]:e.push(t),a++}if(p.
when===void 0){let t={instancePath:i+"/rules/"+r,schemaPath:"#/properties/rules/items/required",keyword:"requi\
red",params:{missingProperty:"when"}};e===null?e=[t]:e.push(t),a++}for(let t in p)if(!(t==="id"||t==="hide"||t===
"show"||t==="when"||t==="reason")){let o={instancePath:i+"/rules/"+r,schemaPath:"#/properties/rules/items/addi\
tionalProperties",keyword:"additionalProperties",params:{additionalProperty:t}};e===null?e=[o]:e.push(o),a++}if(p.
id!==void 0){let t=p.id;if(typeof t=="string"){if(!v.test(t)){let o={instancePath:i+"/rules/"+r+"/id",schemaPath:"\
#/properties/rules/items/properties/id/pattern",keyword:"pattern",params:{pattern:"^[a-z][a-z0-9_-]{0,63}$"}};
e===null?e=[o]:e.push(o),a++}}else{let o={instancePath:i+"/rules/"+r+"/id",schemaPath:"#/properties/rules/item\
s/properties/id/type",keyword:"type",params:{type:"string"}};e===null?e=[o]:e.push(o),a++}}if(p.hide!==void 0){
let t=p.hide;if(Array.isArray(t)){if(t.length<1){let m={instancePath:i+"/rules/"+r+"/hide",schemaPath:"#/prope\
rties/rules/items/properties/hide/minItems",keyword:"minItems",params:{limit:1}};e===null?e=[m]:e.push(m),a++}
let o=t.length;for(let m=0;m<o;m++){let d=t[m];if(!(d==="tools"||d==="prompts"||d==="resources"||d==="resource\
Templates")){let P={instancePath:i+"/rules/"+r+"/hide/"+m,schemaPath:"#/properties/rules/items/properties/hide\
/items/enum",keyword:"enum",params:{allowedValues:u.properties.rules.items.properties.hide.items.enum}};e===null?
e=[P]:e.push(P),a++}}let c=t.length,n;if(c>1){e:for(;c--;)for(n=c;n--;)if(F(t[c],t[n])){let m={instancePath:i+
"/rules/"+r+"/hide",schemaPath:"#/properties/rules/items/properties/hide/uniqueItems",keyword:"uniqueItems",params:{
i:c,j:n}};e===null?e=[m]:e.push(m),a++;break e}}}else{let o={instancePath:i+"/rules/"+r+"/hide",schemaPath:"#/\
properties/rules/items/properties/hide/type",keyword:"type",params:{type:"array"}};e===null?e=[o]:e.push(o),a++}}
if(p.show!==void 0){let t=p.show;if(Array.isArray(t)){if(t.length<1){let m={instancePath:i+"/rules/"+r+"/show",
schemaPath:"#/properties/rules/items/properties/show/minItems",keyword:"minItems",params:{limit:1}};e===null?e=
[m]:e.push(m),a++}let o=t.length;for(let m=0;m<o;m++){let d=t[m];if(!(d==="tools"||d==="prompts"||d==="resourc\
es"||d==="resourceTemplates")){let P={instancePath:i+"/rules/"+r+"/show/"+m,schemaPath:"#/properties/rules/ite\
ms/properties/show/items/enum",keyword:"enum",params:{allowedValues:u.properties.rules.items.properties.show.items.
enum}};e===null?e=[P]:e.push(P),a++}}let c=t.length,n;if(c>1){e:for(;c--;)for(n=c;n--;)if(F(t[c],t[n])){let m={
instancePath:i+"/rules/"+r+"/show",schemaPath:"#/properties/rules/items/properties/show/uniqueItems",keyword:"\
uniqueItems",params:{i:c,j:n}};e===null?e=[m]:e.push(m),a++;break e}}}else{let o={instancePath:i+"/rules/"+r+"\
/show",schemaPath:"#/properties/rules/items/properties/show/type",keyword:"type",params:{type:"array"}};e===null?
e=[o]:e.push(o),a++}}if(p.reason!==void 0&&typeof p.reason!="string"){let t={instancePath:i+"/rules/"+r+"/reas\
on",schemaPath:"#/properties/rules/items/properties/reason/type",keyword:"type",params:{type:"string"}};e===null?
e=[t]:e.push(t),a++}}else{let t={instancePath:i+"/rules/"+r,schemaPath:"#/properties/rules/items/type",keyword:"\
type",params:{type:"object"}};e===null?e=[t]:e.push(t),a++}}}else{let s={instancePath:i+"/rules",schemaPath:"#\
/properties/rules/type",keyword:"type",params:{type:"array"}};e===null?e=[s]:e.push(s),a++}}if(y.settings!==void 0){
let l=y.settings;if(l&&typeof l=="object"&&!Array.isArray(l)){for(let s in l)if(!(s==="unmapped"||s==="default\
s"||s==="invalid"||s==="enforcement"||s==="page-size"||s==="transparency")){let r={instancePath:i+"/settings",
schemaPath:"#/properties/settings/additionalProperties",keyword:"additionalProperties",params:{additionalProperty:s}};
e===null?e=[r]:e.push(r),a++}if(l.unmapped!==void 0){let s=l.unmapped;if(!(s==="show"||s==="hide")){let r={instancePath:i+
"/settings/unmapped",schemaPath:"#/properties/settings/properties/unmapped/enum",keyword:"enum",params:{allowedValues:u.
properties.settings.properties.unmapped.enum}};e===null?e=[r]:e.push(r),a++}}if(l.defaults!==void 0){let s=l.defaults;
if(!(s==="aware"||s==="always"||s==="never")){let r={instancePath:i+"/settings/defaults",schemaPath:"#/propert\
ies/settings/properties/defaults/enum",keyword:"enum",params:{allowedValues:u.properties.settings.properties.defaults.
enum}};e===null?e=[r]:e.push(r),a++}}if(l.invalid!==void 0){let s=l.invalid;if(!(s==="error"||s==="ignore"||s===
"clamp")){let r={instancePath:i+"/settings/invalid",schemaPath:"#/properties/settings/properties/invalid/enum",
keyword:"enum",params:{allowedValues:u.properties.settings.properties.invalid.enum}};e===null?e=[r]:e.push(r),
a++}}if(l.enforcement!==void 0){let s=l.enforcement;if(!(s==="advisory"||s==="enforce"||s==="shadow")){let r={
instancePath:i+"/settings/enforcement",schemaPath:"#/properties/settings/properties/enforcement/enum",keyword:"\
enum",params:{allowedValues:u.properties.settings.properties.enforcement.enum}};e===null?e=[r]:e.push(r),a++}}
if(l["page-size"]!==void 0){let s=l["page-size"];if(!(typeof s=="number"&&!(s%1)&&!isNaN(s)&&isFinite(s))){let r={
instancePath:i+"/settings/page-size",schemaPath:"#/properties/settings/properties/page-size/type",keyword:"typ\
e",params:{type:"integer"}};e===null?e=[r]:e.push(r),a++}if(typeof s=="number"&&isFinite(s)){if(s>1e4||isNaN(s)){
let r={instancePath:i+"/settings/page-size",schemaPath:"#/properties/settings/properties/page-size/maximum",keyword:"\
maximum",params:{comparison:"<=",limit:1e4}};e===null?e=[r]:e.push(r),a++}if(s<1||isNaN(s)){let r={instancePath:i+
"/settings/page-size",schemaPath:"#/properties/settings/properties/page-size/minimum",keyword:"minimum",params:{
comparison:">=",limit:1}};e===null?e=[r]:e.push(r),a++}}}if(l.transparency!==void 0&&typeof l.transparency!="b\
oolean"){let s={instancePath:i+"/settings/transparency",schemaPath:"#/properties/settings/properties/transpare\
ncy/type",keyword:"type",params:{type:"boolean"}};e===null?e=[s]:e.push(s),a++}}else{let s={instancePath:i+"/s\
ettings",schemaPath:"#/properties/settings/type",keyword:"type",params:{type:"object"}};e===null?e=[s]:e.push(
s),a++}}}else{let l={instancePath:i,schemaPath:"#/type",keyword:"type",params:{type:"object"}};e===null?e=[l]:
e.push(l),a++}return N.errors=e,a===0}
export const validate: Validator = D;
